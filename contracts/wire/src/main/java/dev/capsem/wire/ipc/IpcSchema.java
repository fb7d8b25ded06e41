package dev.capsem.wire.ipc;

/// The names that both sides must agree on. A test compares them with the records, so that neither can change alone.
final class IpcSchema {
    static final String TEXT = """
            service ApproveTools(names)
            service Assign(spec,instanceSocket)
            service Attend()
            service Exec(command,cwd,environment,stdin,terminal,timeout,source,traceId,keepBytesMax)
            service FileOperation(argv,stdin)
            service GetMetrics()
            service GetRuleStats()
            service GetStatus()
            service GetTools()
            service Hello(version,schemaHash,peer)
            service HoldStill()
            service Input(data)
            service InputEnd()
            service Prepare(question)
            service Release()
            service ReloadConfig()
            service Relocate(newId,newSessionDir,newInstanceSocket)
            service Reply(question,approved,scope,by)
            service Resize(rows,columns)
            service Resume()
            service Signal(number)
            service Stop(grace,limit)
            service Subscribe()
            service Suspend()
            service Unwatched(question)
            process Assigned(agentPid,handle)
            process BootStage(name,took)
            process Done()
            process Event(kind,json)
            process Exited(exitCode,message,timedOut,took,stdoutBytes,stderrBytes)
            process Failed(code,cause,remedy)
            process Hello(version,schemaHash,peer,pid)
            process Metrics(json)
            process Output(stream,data)
            process Prepared(id,rule,obstacle,inside,covers)
            process Question(id,eventType,rule,reason,subject,processName,suggestion,askedAtMillis,deadlineMillis,\
            details,covers,waits)
            process QuestionOver(id,outcome)
            process Reloaded(revision,rules,warnings)
            process RuleStats(json)
            process Started(execId,guestPid)
            process Status(sandbox,state,uptimeMillis,counters,droppedEvents,rulesProblem,recordProblem,auditProblem)
            process Tools(json)
            record Detail(name,text)
            record Covers(once,session,always)
            record SandboxSpec(id,sessionDir,runtimeDir,limits,environment,project,profileId,userId)
            record Limits(memoryMb,cpus,pidsMax)
            record Project(source,name,access)
            record Terminal(rows,columns)
            record Shell(line)
            record Argv(words)
            code unexpected_message,not_assigned,already_assigned,socket_failed,ports_failed,host_unfit,driver_failed,\
            boot_failed,ready_failed,database_failed,not_running,refused,rules_refused,tool_not_found,blocked,\
            record_unavailable,too_many_execs,bad_command,sandbox_gone
            """;

    private IpcSchema() {}
}
