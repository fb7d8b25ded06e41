# An agent in its smallest form: asks a model that streams (Anthropic Messages), calls the MCP tools that it asks for
# by the relay, gives their results back, and prints what the model says in the end.
# Usage: python3 tool_loop.py https://HOST:PORT
import json, subprocess, sys, urllib.request
TOOL = {"name": "local__echo", "description": "Says it again.", "input_schema": {"type": "object"}}
messages = [{"role": "user", "content": "Say it again."}]

def ask():
    """The reply's blocks: text as it is, arguments of tools as objects."""
    request = urllib.request.Request(
        sys.argv[1] + "/v1/messages",
        json.dumps({"model": "claude-haiku-4-5", "max_tokens": 100, "stream": True, "tools": [TOOL],
                    "messages": messages}).encode(),
        {"content-type": "application/json", "x-api-key": "sk-ant-test-0008", "anthropic-version": "2023-06-01"})
    blocks, said = [], ""
    with urllib.request.urlopen(request, timeout=120) as reply:
        for line in reply:
            if not line.startswith(b"data: "):
                continue
            event = json.loads(line[6:])
            if event["type"] == "content_block_start":
                blocks.append(event["content_block"])
                said = ""
            elif event["type"] == "content_block_delta":
                said += event["delta"].get("text", "") + event["delta"].get("partial_json", "")
            elif event["type"] == "content_block_stop":
                blocks[-1].update({"text": said} if blocks[-1]["type"] == "text" else {"input": json.loads(said)})
    return blocks

def call(relay, number, name, arguments):
    relay.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                                  "params": {"name": name, "arguments": arguments}}) + "\n")
    relay.stdin.flush()
    while True:
        answer = json.loads(relay.stdout.readline())
        if answer.get("id") == number:
            return answer["result"]

with subprocess.Popen(["capsem-mcp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as relay:
    for number in range(10):
        blocks = ask()
        messages.append({"role": "assistant", "content": blocks})
        wanted = [block for block in blocks if block["type"] == "tool_use"]
        if not wanted:
            print("".join(block["text"] for block in blocks))
            break
        results = [(block, call(relay, number, block["name"], block["input"])) for block in wanted]
        messages.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": block["id"], "content": result["content"]}
            for block, result in results]})
    relay.stdin.close()
