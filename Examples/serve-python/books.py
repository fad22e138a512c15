#!/usr/bin/env python3
"""Sends the named books to the reader app on the attached device, and lists its books: books.py [FILE...]"""
import json
import subprocess
import sys

server = subprocess.Popen(["overlayhost", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def call(method, **parameters):
    """Sends one request and returns its result. Skips the notifications before it."""
    print(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": parameters}), file=server.stdin, flush=True)
    for message in map(json.loads, server.stdout):
        if message.get("id") == method:
            return message["result"] if "result" in message else sys.exit(message["error"]["message"])
    sys.exit("overlayhost has ended.")


call("initialize", protocol_version=1)
session = call("open")["session"]
for file in sys.argv[1:]:
    print(call("upload", session=session, books=[{"file": file}])["results"][0]["status"], file)
for book in call("books", session=session)["books"]:
    print(book.get("title") or book["path"], "by", ", ".join(book.get("authors") or ["unknown"]))
call("shutdown")
