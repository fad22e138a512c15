import Glibc
import Platform
import Testing

@Suite("The end of a process is noticed")
struct ProcessEndsTests {
    @Test("A child keeps its number until it is reaped, and reaping gives its status")
    func child() throws {
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sh"), strdup("-c"), strdup("exit 3"), nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, "/bin/sh", nil, nil, &words, environ) == 0)
        waitForEnd(ofChild: process)
        #expect(!isGone(process: process))
        #expect((reap(child: process) >> 8) & 0xFF == 3)
        #expect(isGone(process: process))
    }

    @Test("For a process that is not a child, the status is 0, and this process is not gone")
    func others() {
        waitForEnd(ofChild: getpid())
        #expect(reap(child: getpid()) == 0)
        #expect(!isGone(process: getpid()))
    }
}
