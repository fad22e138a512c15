import DeviceWire
import Foundation
import SimulatedDevice
import Synchronization
import Testing
import TestSupport

@Suite("No path and no link leads out of a confined root")
struct ConfinedRootTests {
    /// A served folder beside one that must not be reachable.
    private struct Tree {
        let test: AFCTestDevice
        let outside: String

        init() throws {
            test = try AFCTestDevice()
            outside = test.device.folder.path + "/Containers/other"
            try FileManager.default.createDirectory(
                atPath: outside + "/inner", withIntermediateDirectories: true)
            try Data("TREASURE".utf8).write(to: URL(fileURLWithPath: outside + "/secret"))
            try Data("TREASURE".utf8).write(to: URL(fileURLWithPath: outside + "/inner/secret"))
            for folder in [outside, outside + "/inner"] {
                try Data().write(to: URL(fileURLWithPath: folder + "/unspeakable"))
            }
            try test.put("/Documents/book", "plain")
            try test.put("/Library/settings", "plain")
            // Links as a hostile program on the host could make them. The protocol refuses most of these.
            let links = [
                ("/Documents/absolute", outside), ("/Documents/up", "../../../Containers/other"),
                ("/Documents/top", "/"), ("/Documents/library", "../Library"), ("/Documents/self", "self"),
                ("/Documents/far", "../../../../../../../../../../../.." + outside),
                ("/out", outside + "/secret"),
                ("/Documents/dots", "./././/../Documents/.."), ("/proc", "/proc/self/root" + outside),
                ("/Documents/combined", "..\u{2F}\u{301}../Containers"),
            ]
            for (name, target) in links {
                guard symlink(target, test.host(name)) == 0 else { throw POSIXError(.EIO) }
            }
        }

        /// Everything outside, as one comparable value.
        func outsideState() throws -> [String: Data] {
            var state: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: outside) {
                state[name] = FileManager.default.contents(atPath: outside + "/" + name) ?? Data()
            }
            return state
        }
    }

    private static let parts = [
        "..", ".", "", "Documents", "Library", "absolute", "up", "top", "library", "self", "far", "out",
        "dots", "proc",
        "combined", "book", "secret", "inner", "Containers", "other", "..\u{301}", "\u{301}", "...", "new",
        " ", "~", "\\..",
        "..\\..", "\u{2024}\u{2024}", "\u{FF0F}", "%2e%2e", "book\u{0}",
    ]

    private static func nastyPath(_ random: inout SeededGenerator) -> String {
        var path = Bool.random(using: &random) ? "/" : ""
        for index in 0..<Int.random(in: 1...9, using: &random) {
            if index > 0 { path += ["/", "//", "/./", "/\u{301}"].randomElement(using: &random) ?? "/" }
            path += parts.randomElement(using: &random) ?? ""
        }
        return path
    }

    @Test("No operation on any path reads, lists, changes or makes anything outside")
    func randomPaths() throws {
        let tree = try Tree()
        let before = try tree.outsideState()
        #expect(before.count == 5)
        var random = SeededGenerator(seed: 11)
        var client = try tree.test.connect()
        var carriedOut = 0
        for round in 0..<2500 {
            if round.isMultiple(of: 250) { client = try tree.test.connect() }
            let path = Self.nastyPath(&random)
            let other = Self.nastyPath(&random)
            guard let reply = try ask(client, path, other, &random) else { continue }
            if case .data(let bytes) = reply {
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(!text.contains("TREASURE") && !text.contains("unspeakable"), "\(path)")
            }
            if case .status(let status) = reply, status != .success { continue }
            carriedOut += 1
        }
        #expect(carriedOut > 100)
        #expect(try tree.outsideState() == before)
    }

    /// Sends one random request; returns nil if the codec refuses the path. An opened file is read and written.
    private func ask(
        _ client: AFCTestClient, _ path: String, _ other: String, _ random: inout SeededGenerator
    ) throws -> AFCReply? {
        let requests: [AFCRequest] = [
            .readDirectory(path: path), .getFileInfo(path: path), .makeDirectory(path: path),
            .truncate(path: path, size: 3), .setFileModTime(path: path, nanoseconds: 1),
            .renamePath(from: path, to: other), .makeLink(kind: 1, target: path, link: other),
            .removePath(path: path), .fileOpen(path: path, mode: 1), .fileOpen(path: path, mode: 4),
        ]
        guard let request = requests.randomElement(using: &random) else { return nil }
        do {
            // The target of a link is not followed, so GET_FILE_INFO may name one outside.
            let reply = try client.ask(request)
            if case .getFileInfo = request { return .status(.success) }
            guard case .handle(let handle) = reply else { return reply }
            let content = try client.ask(.fileRead(handle: handle, length: 100))
            _ = try client.ask(.fileWrite(handle: handle, payloadLength: 1), payload: [0x21])
            _ = try client.ask(.fileClose(handle: handle))
            return content
        } catch let error as WireError where error.code == .badPath {
            return nil
        }
    }

    @Test("An absolute link starts at the root, and the way up stops there")
    func linksInside() throws {
        let tree = try Tree()
        let client = try tree.test.connect()
        let top = try client.names("/")
        #expect(top.contains("Documents"))
        #expect(try client.names("/Documents/top") == top)
        #expect(try client.names("/Documents/dots") == top)
        #expect(try client.names("/../../..") == top)
        #expect(try client.names("/Documents/library") == ["settings"])
        #expect(try client.names("/Documents/library/..") == top)
        #expect(try client.status(.readDirectory(path: "/Documents/absolute")) == .objectNotFound)
        #expect(try client.status(.fileOpen(path: "/out", mode: 1)) == .objectNotFound)
    }

    @Test("A mark combined with a slash does not hide the slash")
    func combinedSlash() throws {
        let tree = try Tree()
        let client = try tree.test.connect()
        #expect(try client.status(.makeDirectory(path: "/\u{301}x")) == .success)
        for path in [
            "/..\u{2F}\u{301}x/../../Containers/other/secret",
            "..\u{2F}\u{301}x\u{2F}../../../Containers/other/secret",
        ] {
            #expect(try client.status(.fileOpen(path: path, mode: 1)) == .objectNotFound)
        }
    }

    @Test("With a subtree everything else is refused, by path and by link, and what leads to it is fixed")
    func subtree() throws {
        let tree = try Tree()
        let client = try tree.test.connect(subtree: "/Documents")
        #expect(try client.names("/Documents").contains("book"))
        #expect(try client.names("/Documents/../../Documents").contains("book"))
        let refused: [AFCRequest] = [
            .readDirectory(path: "/"), .readDirectory(path: "/Library"),
            .readDirectory(path: "/Library/../Documents"),
            .getFileInfo(path: "/Library/settings"),
            .fileOpen(path: "/Library/settings", mode: 1),
            .fileOpen(path: "/Documents/library/settings", mode: 1),
            .readDirectory(path: "/Documents/top"), .readDirectory(path: "/Documents/.."),
            .makeDirectory(path: "/new"), .renamePath(from: "/Documents/book", to: "/book"),
            .renamePath(from: "/Documents", to: "/Documents2"), .removePath(path: "/Documents"),
            .removePathAndContents(path: "/Documents"), .removePathAndContents(path: "/Documents/."),
            .fileOpen(path: "/Documents2", mode: 3), .getFileInfo(path: "/none"), .getFileInfo(path: "/"),
            .makeLink(kind: 1, target: "/Library/settings", link: "/Documents/settings"),
        ]
        for request in refused {
            #expect(try client.status(request) == .permissionDenied, "\(request)")
        }
        #expect(try client.information("/Documents").kind == .folder)
        #expect(try client.information("/Documents/book").size == 5)
        #expect(tree.test.content("/Documents/book") == "plain")
    }

    @Test(
        "A folder that is replaced by a link during a walk never leads outside",
        arguments: [("/Documents/swap", "/Documents/absolute"), ("/Documents/swap/secret", "/out")])
    func swapping(swapped: String, evil: String) throws {
        let tree = try Tree()
        try tree.test.put("/Documents/swap/secret", "plain")
        let place = tree.test.host(swapped)
        let link = tree.test.host(evil)
        let done = Atomic(false)
        let swaps = Atomic(0)
        let swapping = DispatchSemaphore(value: 0)
        let hidden = place + ".hidden"
        Thread.detachNewThread { [place, link, hidden] in
            while !done.load(ordering: .relaxed) {
                _ = rename(place, hidden)
                _ = Glibc.link(link, place)
                _ = unlink(place)
                _ = rename(hidden, place)
                swaps.add(1, ordering: .relaxed)
            }
            swapping.signal()
        }
        defer {
            done.store(true, ordering: .relaxed)
            swapping.wait()
        }
        let client = try tree.test.connect()
        var found = 0
        while found < 500 || swaps.load(ordering: .relaxed) < 200 {
            let reply = try client.ask(.fileOpen(path: "/Documents/swap/secret", mode: 1))
            guard case .handle(let handle) = reply else { continue }
            #expect(try client.read(handle) == "plain")
            _ = try client.ask(.fileClose(handle: handle))
            found += 1
        }
    }

    @Test("A root that is not there, or is a file, cannot be opened")
    func missingRoot() throws {
        let folder = try TemporaryFolder()
        #expect(throws: AFCFailure(.objectNotFound)) { try ConfinedRoot(folder: folder.path("none")) }
        try Data().write(to: folder.url.appendingPathComponent("file"))
        #expect(throws: AFCFailure(.objectNotFound)) { try ConfinedRoot(folder: folder.path("file")) }
    }
}
