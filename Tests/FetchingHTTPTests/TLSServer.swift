import Foundation
import HTTPTestSupport
import TestSupport

/// OpenSSL's server with a certificate for `localhost` that no client trusts. It sends whole files.
final class TLSServer {
    /// The certificate, for clients that must trust it.
    let certificate: String
    private let folder: TemporaryFolder
    private let process: ServerProcess

    init(_ answers: [String: String]) throws {
        folder = try TemporaryFolder()
        certificate = folder.path("certificate.pem")
        for (name, answer) in answers {
            try Data(answer.utf8).write(to: folder.url.appendingPathComponent(name))
        }
        let made = try runProgram(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", folder.path("key.pem"), "-out",
                certificate,
            ])
        guard made.status == 0 else { throw TLSServerFailure(message: made.errors) }
        let command = [
            "env", "-C", folder.path, "openssl", "s_server", "-accept", "127.0.0.1:0", "-HTTP", "-cert",
            certificate,
            "-key", folder.path("key.pem"),
        ]
        // It says `ACCEPT 127.0.0.1:40123` when it listens.
        process = try ServerProcess(command) { line in
            line.hasPrefix("ACCEPT") ? line.split(separator: ":").last.flatMap { Int($0) } : nil
        }
    }

    var port: Int { process.port }

    func url(_ name: String) -> String { "https://localhost:\(port)/\(name)" }
}

/// Why the server could not be used.
struct TLSServerFailure: Error { var message: String }
