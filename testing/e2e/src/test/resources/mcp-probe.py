"""Tries what a program behind MCP must not be able to do, from inside its sandbox; says on stderr what came of it."""
import glob, json, os, socket, sys

home, session, user, port = sys.argv[1:5]


def attempt(action):
    try:
        return action() or "done"
    except (OSError, IndexError) as refused:
        return "refused: " + type(refused).__name__


def connect(path, line):
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(10)
        door.connect(path)
        door.sendall(line.encode())
        return door.recv(64).decode().split("\r\n")[0]


def dial(host, port):
    socket.create_connection((host, int(port)), 3).close()


def environments():
    seen = []
    for file in glob.glob("/proc/[0-9]*/environ"):
        if file.split("/")[2] != str(os.getpid()):
            with open(file, "rb") as environ:
                seen.append(environ.read().decode(errors="replace"))
    return "\n".join(seen)


egress = os.environ.get("CAPSEM_EGRESS_SOCKET", "/nowhere")
ask = "CONNECT {} HTTP/1.1\r\n\r\n".format
found = {
    "session.db": attempt(lambda: open(session + "/session.db", "rb").read(1) and None),
    "session directory": attempt(lambda: os.listdir(session) and None),
    "host workspace": attempt(lambda: os.listdir(session + "/workspace") and None),
    "home": attempt(lambda: os.listdir(home) and None),
    "secrets": attempt(lambda: open(home + "/secrets.json").read() and None),
    "user's files": attempt(lambda: os.listdir(user) and None),
    "service socket": attempt(lambda: connect(home + "/run/service.sock", "GET /list HTTP/1.1\r\n\r\n")),
    "other programs": str(sum(1 for _ in glob.glob("/proc/[0-9]*"))),
    "environments": "leaked" if "CAPSEM_HOME" in environments() else "nothing",
    "network": attempt(lambda: dial("127.0.0.1", port)),
    "named host": attempt(lambda: connect(egress, ask("127.0.0.1:" + port))),
    "other host": attempt(lambda: connect(egress, ask("127.0.0.1:1"))),
    "other protocol": attempt(lambda: connect(egress, "GET / HTTP/1.1\r\n\r\n")),
    "/workspace": attempt(lambda: open("/workspace/.probe", "w").close()),
    "own programs": attempt(lambda: open(os.path.dirname(sys.argv[0]) + "/x", "w").close()),
    "/usr": attempt(lambda: open("/usr/x", "w").close()),
    "privileges": [line.split()[1] for line in open("/proc/self/status") if line.startswith("CapEff")][0],
    "filter": [line.split()[1] for line in open("/proc/self/status") if line.startswith("Seccomp:")][0],
    "keys": attempt(lambda: open("/proc/keys").read(1)),
    "variables": ",".join(sorted(name for name in os.environ if name not in ("PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"))),
}
print(json.dumps({"probe": found}), file=sys.stderr, flush=True)
