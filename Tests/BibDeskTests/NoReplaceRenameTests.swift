import OverlayKit
import OverlayKitTesting
import Testing

@testable import BibDesk

/// A device on which a rename does not replace a file.
private final class StubbornDevice: ReferenceDevice {
    /// The number of the rename, counted from 1, after which every request fails; 0 for none.
    var lastRename = 0
    private var renames = 0

    override func begin(_ operation: String, _ path: String, to destination: String?) -> OverlayStatus? {
        if lastRename > 0, renames >= lastRename { return .deviceGone }
        if let destination {
            if files[destination] != nil { return .alreadyExists }
            if !path.contains("overlayhost-claim") { renames += 1 }
        }
        return super.begin(operation, path, to: destination)
    }
}

@Suite("Files are replaced on a device that refuses to rename over a name")
struct NoReplaceRenameTests {
    private let device = StubbornDevice()
    private let old = "@misc{old,}\n"

    private func upload() throws -> [ItemResult] {
        try device.upload([device.item("References.bib", "@misc{new, title = {New}}\n")])
    }

    private var leftovers: [String] {
        device.files.keys.filter { $0.contains("overlayhost-aside") || $0.hasPrefix("/tmp/") }
    }

    @Test("The former file is set aside, and removed when the new one has its place")
    func replaced() throws {
        device.library(old)
        #expect(try upload().map(\.outcome) == [.updated])
        #expect(device.text().contains("old") && device.text().contains("new"))
        #expect(leftovers == [])
    }

    @Test("A file that was set aside when the cable was pulled is put back by the next change")
    func putBack() throws {
        device.library(old)
        device.lastRename = 1
        #expect(throws: OverlayError.self) { try upload() }
        #expect(device.text() == "" && !leftovers.isEmpty)
        device.lastRename = 0
        device.removeClaims()
        #expect(try upload().map(\.outcome) == [.updated])
        #expect(device.text().contains("old") && device.text().contains("new"))
        #expect(leftovers == [])
    }

    @Test(
        "A file whose folder is gone is put back, and one that cannot be put back does not stop a change"
    )
    func leftoversOfOthers() throws {
        device.library(old)
        let aside = "/Library/Application Support/OverlayHost/.overlayhost-aside"
        device.add(Array("/Library/Gone/Papers/a.pdf".utf8), at: aside + "/2/target")
        device.add(Array("paper".utf8), at: aside + "/2/old")
        device.add(Array("../x".utf8), at: aside + "/1/target")
        device.add(Array("other".utf8), at: aside + "/1/old")
        device.add(Array("/Library/../Elsewhere/x".utf8), at: aside + "/3/target")
        device.add(Array("third".utf8), at: aside + "/3/old")
        #expect(try upload().map(\.outcome) == [.updated])
        #expect(device.files["/Library/Gone/Papers/a.pdf"] != nil)
        #expect(device.files[aside + "/3/old"] != nil && !device.files.keys.contains { $0.hasSuffix("/x") })
        #expect(device.files[aside + "/1/old"] != nil && device.files[aside + "/2/old"] == nil)
    }

    @Test("A file that was set aside is removed if its successor has the place")
    func finished() throws {
        device.library(old)
        let aside = "/Library/Application Support/OverlayHost/.overlayhost-aside/1"
        device.add(Array((device.libraries + "/References.bib").utf8), at: aside + "/target")
        device.add(Array("@misc{former,}\n".utf8), at: aside + "/old")
        #expect(try upload().map(\.outcome) == [.updated])
        #expect(!device.text().contains("former") && device.text().contains("old") && leftovers == [])
    }
}

extension StubbornDevice {
    /// Removes the claim of a program that has ended.
    fileprivate func removeClaims() {
        for path in files.keys where path.contains("overlayhost-claim") { files[path] = nil }
    }
}
