package dev.capsem.wire.ipc;

/// The names that both sides must agree on. A test compares them with the records, so that neither can change alone.
final class IpcSchema {
    static final String TEXT = """
            service Assign(spec,instanceSocket)
            service Attend()
            service Exec(argv,command,cwd,environment,stdin,terminal,timeout,source,traceId,keepBytesMax)
            service FileOperation(argv,stdin)
            service GetMetrics()
            service GetRuleStats()
            service GetStatus()
            service Hello(version,schemaHash,peer)
            service HoldStill()
            service Input(data)
            service InputEnd()
            service Release()
            service ReloadConfig()
            service Relocate(newId,newSessionDir,newInstanceSocket)
            service Reply(question,approved,scope,by)
            service Resize(rows,columns)
            service Resume()
            service Signal(number)
            service Stop(grace)
            service Subscribe()
            service Suspend()
            process Assigned(agentPid,handle)
            process BootStage(name,took)
            process Done()
            process Event(kind,json)
            process Exited(exitCode,message,timedOut,took,stdoutBytes,stderrBytes)
            process Failed(code,cause,remedy)
            process Hello(version,schemaHash,peer,pid)
            process Metrics(json)
            process Output(stream,data)
            process Question(id,eventType,rule,reason,subject,processName,suggestion,askedAtMillis,deadlineMillis)
            process QuestionOver(id,outcome)
            process Reloaded(revision,rules,warnings)
            process RuleStats(json)
            process Started(execId,guestPid)
            process Status(sandbox,state,uptimeMillis,counters,droppedEvents,rulesProblem)
            record SandboxSpec(id,sessionDir,runtimeDir,limits,environment,project,profileId,userId)
            record Limits(memoryMb,cpus,pidsMax)
            record Project(source,name,access)
            record Terminal(rows,columns)
            """;

    private IpcSchema() {}
}
