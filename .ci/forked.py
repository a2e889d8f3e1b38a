"""Starts a Python client many times over while its SDK is imported once.

    .ci/forked.py serve SOCKET CLIENT [MODULE…]   imports the modules, then serves
    .ci/forked.py start SOCKET [ARGUMENT…]        runs CLIENT with these arguments

Most of what a short run of a client takes is the import of its SDK. Here each start
is a fork of a process that has it, with the environment, the arguments, the output
and the exit code of the one who asked. For CI alone: who ends the one who asked
does not end the client.
"""

import importlib
import json
import os
import runpy
import socket
import sys
import traceback

STANDARD = 3  # input, output and error


def serve(path, client, modules):
    for module in modules:
        importlib.import_module(module)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen(64)
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            # The first fork is for the exit code: nobody waits for it here.
            if os.fork() == 0:
                listener.close()
                if os.fork() == 0:
                    answer(connection, client)
                os._exit(0)
            connection.close()
            os.waitpid(-1, 0)


def answer(connection, client):
    """Runs the client in a further fork, and says how it ended."""
    words, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, STANDARD)
    asked = json.loads(words)
    child = os.fork()
    if child == 0:
        connection.close()
        os._exit(run(client, asked, descriptors))
    _, status = os.waitpid(child, 0)
    connection.send(str(os.waitstatus_to_exitcode(status)).encode())


def run(client, asked, descriptors):
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = [client, *asked["arguments"]]
    try:
        runpy.run_path(client, run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def start(path, arguments):
    asked = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(path)
        socket.send_fds(connection, [json.dumps(asked).encode()], range(STANDARD))
        # Nothing at all if the fork itself was killed.
        return int(connection.recv(16) or 1)


match sys.argv[1:]:
    case ["serve", path, client, *modules]:
        serve(path, client, modules)
    case ["start", path, *arguments]:
        sys.exit(start(path, arguments))
    case _:
        sys.exit(__doc__)
