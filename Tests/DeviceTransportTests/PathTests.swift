import Testing

@testable import DeviceTransport

@Suite("Paths on a device are checked and normalised") struct PathTests {
    @Test("A path is normalised")
    func forms() throws {
        #expect(try DevicePath("a/b").text == "/a/b")
        #expect(try DevicePath("//a/./b/").text == "/a/b")
        #expect(try DevicePath("/").isRoot)
        #expect(try DevicePath("/a/b/c").ancestors == ["/a", "/a/b"])
        #expect(try DevicePath("/a").ancestors.isEmpty)
    }

    @Test(
        "A path that leads out, is empty, holds a NUL or is too long is refused",
        arguments: [
            "", "..", "/a/../b", "/a/..", "a\0b", "/" + String(repeating: "x", count: 256),
            String(repeating: "/abcdefghi", count: 103),
        ])
    func refused(_ path: String) {
        #expect { try DevicePath(path) } throws: { ($0 as? TransportError)?.code == .invalidArgument }
    }

    @Test(
        "A slash beside a combining character still divides",
        arguments: ["/a\u{600}/../b", "/a/..\u{600}/..", "/a\u{600}/.."])
    func combining(_ path: String) throws {
        #expect { try DevicePath(path) } throws: { ($0 as? TransportError)?.code == .invalidArgument }
        #expect(try DevicePath("/a\u{600}/\u{301}b/c").ancestors == ["/a\u{600}", "/a\u{600}/\u{301}b"])
    }

    @Test("The temporary name is in the same folder, hidden, short, and the same every time")
    func temporary() throws {
        let name = String(repeating: "日", count: 85)
        let path = try DevicePath("/Documents/\(name)")
        #expect(path.temporarySibling == (try DevicePath("Documents/\(name)")).temporarySibling)
        #expect(path.temporarySibling.hasPrefix("/Documents/.overlayhost-"))
        #expect(path.temporarySibling.utf8.count < 60)
        #expect(path.temporarySibling != (try DevicePath("/Documents/b")).temporarySibling)
    }

    @Test("A name that only looks like a step upwards is a plain name")
    func dots() throws {
        #expect(try DevicePath("/a/...").text == "/a/...")
        #expect(try DevicePath("/a/..b").text == "/a/..b")
    }
}
