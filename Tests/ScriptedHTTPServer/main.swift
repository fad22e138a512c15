// A scripted HTTP/1.1 server for tests. Prints its port and serves until it is killed or its standard input ends.
import Glibc

signal(SIGPIPE, SIG_IGN)
let server = try Server()
print(server.port)
fflush(nil)
server.start()
var byte: UInt8 = 0
while read(0, &byte, 1) > 0 {}
exit(0)
