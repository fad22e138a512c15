import COpenSSL
import Glibc
import Platform
import Testing

@testable import DeviceTransport

@Suite("A program that used a device ends cleanly") struct ProgramEndTests {
    @Test("OpenSSL still works for threads that go on while the program exits")
    func openSSLOutlivesExit() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // Handlers run in the reverse order of their registration: this one after any that OpenSSL registers.
            atexit {
                let context = EVP_MD_CTX_new()
                if EVP_DigestInit_ex(context, EVP_sha256(), nil) != 1 { _exit(9) }
                EVP_MD_CTX_free(context)
            }
            TransportRuntime.prepare()
            if Digest.of([], .sha256) == nil { _exit(8) }
            exit(0)
        }
    }
}
