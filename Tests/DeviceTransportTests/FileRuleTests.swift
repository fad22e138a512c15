import DeviceTransport
import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Devices may treat folders and names in their own way") struct FileRuleTests {
    private func withRules(
        _ change: (inout FileRules) -> Void, _ body: (SimulatedDevice, DeviceFiles) throws -> Void
    )
        throws
    {
        var settings = SimulatedDeviceSettings.reader
        change(&settings.fileRules)
        try withSimulatedDevice(settings) { device in try body(device, try openFiles(device)) }
    }

    @Test("Folders are made below those that the device refuses to make again")
    func existingParents() throws {
        try withRules {
            $0.refusesExistingFolders = true
        } _: { device, files in
            try files.makeFolder("/Documents/a/b")
            try files.makeFolder("/Documents/a/b")
            try files.makeFolder("/Documents/a/c/d")
            #expect(try files.list("/Documents/a") == ["b", "c"])
            try files.write(.bytes([1]), to: "/Documents/e/f")
            try files.write(.bytes([1]), to: "/Documents/a/file")
            #expect(code { try files.makeFolder("/Documents/a/file") } == .notFolder)
            #expect(code { try files.makeFolder("/Documents/a/file/below") } == .notFolder)
            #expect(code { try files.makeFolder("/Documents/x/y", intermediate: false) } == .notFound)
        }
    }

    @Test("A folder that the device does not permit is refused with its reason", arguments: [false, true])
    func containerRoot(_ refusesExisting: Bool) throws {
        try withRules {
            $0.hasWritableContainerRoot = false
            $0.refusesExistingFolders = refusesExisting
        } _: { device, files in
            #expect(code { try files.makeFolder("/new") } == .permissionDenied)
            #expect(code { try files.makeFolder("/new/below") } == .permissionDenied)
            #expect(code { try files.write(.bytes([1]), to: "/new") } == .permissionDenied)
            try files.makeFolder("/Documents")
            try files.makeFolder("/Documents/new/below")
        }
    }

    @Test("A file takes the place of another where a rename does not replace")
    func replacing() throws {
        try withRules {
            $0.renameReplaces = false
        } _: { device, files in
            try files.write(.bytes([1]), to: "/Documents/a")
            try files.write(.bytes([2]), to: "/Documents/a")
            #expect(try files.readWhole("/Documents/a") == [2])
            #expect(try device.documentNames() == ["a"])
        }
    }

    @Test("A folder that cannot take the name of a file stays, and so does the file", arguments: [16, 8])
    func folderOntoFile(_ status: UInt64) throws {
        try withRules {
            $0.folderOntoFileStatus = status
        } _: { device, files in
            try files.write(.bytes([1]), to: "/Documents/folder/a")
            try files.write(.bytes([2]), to: "/Documents/file")
            let error = failure {
                try files.rename("/Documents/folder", to: "/Documents/file", replaces: true)
            }
            #expect(error?.native?.number == Int64(status))
            #expect(try files.readWhole("/Documents/folder/a") == [1])
            #expect(try files.readWhole("/Documents/file") == [2])
        }
    }

    @Test("Names that are written composed and listed decomposed are those of the same file")
    func decomposed() throws {
        try withRules {
            $0.names = .decomposed
        } _: { device, files in
            try files.write(.bytes([1]), to: "/Documents/Caf\u{E9}/na\u{EF}f")
            try files.write(.bytes([2]), to: "/Documents/Caf\u{E9}/na\u{EF}f")
            let names = try files.list("/Documents").map { Array($0.utf8) }
            #expect(names == [Array("Cafe\u{301}".utf8)])
            #expect(try files.readWhole("/Documents/Cafe\u{301}/nai\u{308}f") == [2])
        }
    }

    @Test("A name that is not UTF-8 is left out of a listing, and the others are there")
    func undecodable() throws {
        try withRules {
            $0.foldersWithUndecodableNames = ["/Documents"]
        } _: { device, files in
            try files.write(.bytes([1]), to: "/Documents/a")
            #expect(try files.list("/Documents") == ["a"])
            #expect(try files.entries("/Documents").map(\.name) == ["a"])
            // Compares bytes, because Foundation leaves the name out as well.
            #expect(try runProgram("ls", ["-1b", device.documents.path]).output == "a\ncaf\\351.epub\n")
        }
    }
}
