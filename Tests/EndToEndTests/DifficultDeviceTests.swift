import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("Commands carry on with a device that is locked or short of resources")
struct DifficultDeviceTests {
    private func bench(_ change: (inout SimulatedDeviceSettings) -> Void) throws -> ReaderBench {
        try ReaderBench {
            $0.apps.append(SimulatedReader.paperback())
            change(&$0)
        }
    }

    @Test(
        "All of 30 books are added and fetched, however few files may be open at once",
        arguments: ["Marvin", "Paperback"], [8, 6, 4])
    func openFiles(app: String, limit: Int) throws {
        let bench = try bench { $0.fileRules.openFileLimit = limit }
        let folder = bench.folder.url.appendingPathComponent("books")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = try (0..<30).map { index in
            let file = folder.appendingPathComponent("book-\(index).epub")
            try SampleEPUB(title: "Book \(index)", authors: ["Ann Author"], length: 40_000).write(to: file)
            return file
        }
        let upload = try bench.json(["upload", "--app", app] + files.map(\.path))
        #expect(upload.status == 0, "\(upload.errors)")
        #expect(upload.texts("results", "status") == Array(repeating: "added", count: 30))
        let output = bench.folder.path("fetched")
        let get = try bench.json(
            ["get", "--app", app, "-o", output] + upload.texts("results", "path"))
        #expect(get.status == 0, "\(get.errors)")
        #expect(get.texts("results", "status") == Array(repeating: "fetched", count: 30))
        #expect(try FileManager.default.contentsOfDirectory(atPath: output).count == 30)
    }

    @Test(
        "A locked device is used like any other after its first unlock, and doctor does not call it unlocked")
    func locked() throws {
        let bench = try bench { ($0.isLocked, $0.wasUnlockedSinceStart) = (true, true) }
        let book = try RealBooks.history("it").path
        #expect(try bench.json("upload", book, "--app", "Paperback").texts("results", "status") == ["added"])
        let open = try bench.run("doctor", "--app", "Paperback")
        #expect(open.status == 0 && open.output.contains("The device is locked, but"), "\(open.output)")
        try bench.device.update { $0.wasUnlockedSinceStart = false }
        let closed = try bench.run("doctor", "--app", "Paperback")
        #expect(closed.status == 77 && !closed.output.contains("is unlocked"), "\(closed.output)")
        let books = try bench.run("books", "--app", "Paperback")
        #expect(books.status == 77)
        #expect(books.errors.contains("is locked and has not been unlocked since it was turned on."))
        #expect(books.errors.contains("Unlock the device once with its passcode"))
        let backup = try bench.run("backup", bench.folder.path("backup"))
        #expect(backup.status != 0 && backup.errors.contains("Unlock the device"), "\(backup.errors)")
    }

    @Test(
        "apps starts only services that it uses, and opens each app once",
        arguments: ["8.1", "17.0"])
    func apps(ios: String) throws {
        let bench = try bench {
            $0.iosVersion = ios
            $0.apps += [SimulatedGoodReader.app(), SimulatedReader.kindle(), SimulatedBooks.app()]
        }
        let apps = try bench.json("apps")
        #expect(apps.rows("apps").count == 5, "\(apps.errors)")
        let counters = bench.device.counters
        #expect(counters.servicesStarted == counters.servicesConnected)
        // Before iOS 8.3 the containers of all apps but Books are open; since then those of the App Store's apps are
        // not tried, and no app is asked for its documents twice.
        #expect(counters.requests["house_arrest.VendContainer"] == (ios == "8.1" ? 5 : nil))
        #expect(counters.requests["house_arrest.VendDocuments"] ?? 0 <= (ios == "8.1" ? 1 : 5))
    }
}
