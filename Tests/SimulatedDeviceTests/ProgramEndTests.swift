import COpenSSL
import Foundation
import Testing

@testable import SimulatedDevice

@Suite("A program that ran a simulated device ends cleanly") struct ProgramEndTests {
    @Test("OpenSSL still works for connections that are served while the program exits")
    func openSSLOutlivesExit() async {
        await #expect(processExitsWith: .exitCode(0)) {
            // Handlers run in the reverse order of their registration: this one after any that OpenSSL registers.
            atexit {
                let context = EVP_MD_CTX_new()
                if EVP_DigestInit_ex(context, EVP_sha256(), nil) != 1 { _exit(9) }
                EVP_MD_CTX_free(context)
            }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            let device = try SimulatedDevice(folder: folder, settings: SimulatedDeviceSettings())
            let key = try device.pairing.privateKey()
            try FileManager.default.removeItem(at: folder)
            exit(key.isEmpty ? 8 : 0)
        }
    }
}
