import Glibc
import Testing

@testable import Platform

@Suite("Digests have their known values")
struct DigestTests {
    private struct Sample: CustomTestStringConvertible {
        let text: String
        let algorithm: Digest.Algorithm
        let digest: String

        var testDescription: String { "\(algorithm) of \(text.count) letters" }
    }

    /// Of RFC 1321, appendix A.5, and FIPS 180-2, appendices A to C.
    private static let samples = [
        Sample(text: "", algorithm: .md5, digest: "d41d8cd98f00b204e9800998ecf8427e"),
        Sample(text: "abc", algorithm: .md5, digest: "900150983cd24fb0d6963f7d28e17f72"),
        Sample(
            text: "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            algorithm: .md5, digest: "57edf4a22be3c955ac49da2e2107b67a"),
        Sample(
            text: "", algorithm: .sha256,
            digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        Sample(
            text: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", algorithm: .sha256,
            digest: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        Sample(
            text: "abc", algorithm: .sha384,
            digest: "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                + "8086072ba1e7cc2358baeca134c825a7"),
        Sample(
            text: "abc", algorithm: .sha512,
            digest: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
    ]

    @Test("The standards' samples have their digests, for bytes in any pieces", arguments: samples)
    private func known(_ sample: Sample) {
        let bytes = Array(sample.text.utf8)
        #expect(Digest.text(of: sample.text, sample.algorithm) == sample.digest)
        #expect(Digest.of(bytes, sample.algorithm).map { Hex.text($0) } == sample.digest)
        for size in [1, 7, 63, 64, 65] {
            let digest = Digest(sample.algorithm)
            for start in stride(from: 0, to: bytes.count, by: size) {
                digest.add(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(digest.finish().map { Hex.text($0) } == sample.digest)
        }
    }

    @Test("The content of a file counts from the current position to its end, unless it is cancelled")
    func file() throws {
        let written = try #require(TemporaryFile(beginning: "/tmp/overlayhost-digest"))
        #expect(writeAll(Array("12abc".utf8), to: written.descriptor) == 0)
        let file = open(written.path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(lseek(file, 2, SEEK_SET) == 2)
        let digest = Digest(.sha384)
        #expect(digest.add(contentOf: file) { true } == ECANCELED)
        #expect(digest.add(contentOf: file) { false } == 0)
        #expect(digest.finish() == Digest.of(Array("abc".utf8), .sha384))
        #expect(Digest(.sha256).add(contentOf: -1) { false } == EBADF)
    }

    @Test("A digest ends once, and one that libcrypto does not offer is nil")
    func refusals() {
        let digest = Digest(.sha256)
        #expect(digest.finish() != nil)
        #expect(digest.finish() == nil)
        let unknown = Digest(method: nil)
        unknown.add([1])
        #expect(unknown.finish() == nil)
    }

    @Test("A configuration that allows approved algorithms only leaves every digest as it is")
    func policy() async {
        await #expect(processExitsWith: .exitCode(0)) {
            var path = Array("/tmp/overlayhost-digest-XXXXXX".utf8CString)
            let file = mkstemp(&path)
            let configuration = """
                openssl_conf = all
                [all]
                alg_section = algorithms
                [algorithms]
                default_properties = fips=yes

                """
            guard file >= 0, write(file, configuration, configuration.utf8.count) == configuration.utf8.count
            else { exit(9) }
            setenv("OPENSSL_CONF", &path, 1)
            let texts = Digest.Algorithm.allCases.map { Digest.text(of: "abc", $0) }
            unlink(&path)
            exit(texts.contains(nil) ? 8 : 0)
        }
    }
}
