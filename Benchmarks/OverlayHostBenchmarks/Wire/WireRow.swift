import Foundation
import SimulatedDevice

/// A command of the program on a device, compared with the fewest requests that do the same and with other clients.
struct WireRow {
    let name: String
    /// The folder of the device.
    let folder: URL
    let device: BareDevice
    /// The words after `overlayhost`.
    let command: [String]
    /// The text that the program prints once for each book, and the number of books.
    let sign: (text: String, count: Int)
    /// The fewest requests for the first run, and for later runs that use what the first has stored.
    let cold: [BareWork]
    let warm: [BareWork]
    let errand: FileErrand
    /// Bytes per second; 0 for no limit.
    var bandwidth = 0
    /// The only delay for this row, if any.
    var only: String?
    /// The output folder, which is emptied before each run.
    var target: URL?
}

/// The devices, the books and the rows of the table.
struct WireRows {
    /// Stores everything that the table needs.
    let home: URL
    private let isQuick: Bool
    private static let vlc = "org.videolan.vlc-ios"

    init(quick: Bool) throws {
        isQuick = quick
        home = FileManager.default.temporaryDirectory.appendingPathComponent(
            "overlayhost-bench-\(getpid())")
    }

    /// Makes the devices with their books.
    func make() throws -> [WireRow] {
        try [
            transfer(isAdding: true), transfer(isAdding: false), slowFetch(), documents(), marvin(), titles(),
        ]
    }

    private func few(_ count: Int) -> Int { isQuick ? count / 10 : count }

    /// A device with an app that only shares its folder, and that folder.
    private func sharing(_ name: String) throws -> (folder: URL, documents: URL, device: BareDevice) {
        let folder = home.appendingPathComponent(name)
        let documents = folder.appendingPathComponent("Containers/\(Self.vlc)/Documents")
        let udid = String(repeating: "c", count: 40)
        try DeviceProcess.make(
            folder, udid: udid, ios: "17.0", SimulatedApp(bundleID: Self.vlc, name: "VLC"))
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        return (
            folder, documents, BareDevice(udid: udid, app: Self.vlc, vend: "VendDocuments", isOld: false)
        )
    }

    private func write(_ count: Int, pictures: Int, in folder: URL) throws -> [(name: String, bytes: [UInt8])]
    {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try (1...count).map { number in
            let name = "Walden \(number).epub"
            let bytes = LargeBook(number, pictures: pictures).content
            try Data(bytes).write(to: folder.appendingPathComponent(name))
            return (name, bytes)
        }
    }

    /// Adds EPUBs of 500 kB, or fetches them.
    private func transfer(isAdding: Bool, bandwidth: Int = 0) throws -> WireRow {
        let (folder, documents, device) = try sharing(isAdding ? "adding" : "fetching\(bandwidth)")
        let here = home.appendingPathComponent("books")
        let books = try write(few(200), pictures: 4, in: isAdding ? here : documents)
        let paths = books.map { "/Documents/\($0.name)" }
        let what = "\(books.count) × \(books[0].bytes.count / 1000) kB"
        let work = books.map {
            isAdding
                ? BareWork.write("/Documents/\($0.name)", $0.bytes)
                : .read("/Documents/\($0.name)", [0..<$0.bytes.count])
        }
        let target = home.appendingPathComponent("fetched")
        var errand = FileErrand()
        if isAdding {
            let files = books.map { here.appendingPathComponent($0.name).path }
            errand.writes = Dictionary(uniqueKeysWithValues: zip(paths, files))
        } else {
            errand.reads = paths
        }
        return WireRow(
            name: isAdding ? "add \(what)" : "fetch \(what)" + (bandwidth > 0 ? " at 30 MB/s" : ""),
            folder: folder, device: device,
            command: isAdding
                ? ["upload"] + errand.writes.values.sorted()
                : ["get", "-o", target.path] + books.map(\.name),
            sign: (isAdding ? "\"added\"" : "\"fetched\"", books.count), cold: work, warm: work,
            errand: errand,
            bandwidth: bandwidth, only: bandwidth > 0 ? "link1" : nil,
            target: isAdding ? documents : target)
    }

    private func slowFetch() throws -> WireRow { try transfer(isAdding: false, bandwidth: 30_000_000) }

    /// Lists PDF documents. The first listing reads a part of each.
    private func documents() throws -> WireRow {
        let (folder, documents, device) = try sharing("documents")
        let sizes = (0..<few(1000)).map { 1_000_000 + $0 * 1_664_525 % 4_000_000 }
        for (number, size) in sizes.enumerated() {
            let pdf = SimulatedPDF(title: "Report \(number)", author: "An Author", pages: 100, size: size)
            try pdf.write(to: documents.appendingPathComponent("\(number).pdf"))
        }
        let names = sizes.indices.map { "/Documents/\($0).pdf" }
        let ends = zip(names, sizes).map { BareWork.read($0, [($1 - 2048)..<$1]) }
        return WireRow(
            name: "list \(names.count) PDFs", folder: folder, device: device, command: ["books"],
            sign: ("\"path\"", names.count), cold: [.list("/Documents")] + ends,
            warm: [.list("/Documents")] + names.map { .status($0) },
            errand: FileErrand(lists: ["/Documents"], statuses: names))
    }

    /// Lists a Marvin library. The other clients read the covers as well.
    private func marvin() throws -> WireRow {
        let folder = home.appendingPathComponent("marvin")
        let udid = String(repeating: "d", count: 40)
        try DeviceProcess.make(
            folder, udid: udid, ios: "8.1.3",
            SimulatedApp(bundleID: BenchmarkDevice.app, name: "Marvin", version: "2.7.1", kind: .marvin))
        let container = MarvinContainer(
            folder: folder.appendingPathComponent("Containers/\(BenchmarkDevice.app)"), version: "2.7.1")
        try FileManager.default.createDirectory(at: container.folder, withIntermediateDirectories: true)
        let names = try MarvinLibrary(container).populateSynthetic(count: few(1000))
        try BenchmarkDevice.age(container)
        guard let coversFolder = container.smallCovers else { throw BenchmarkFailure("no covers folder") }
        let place = coversFolder.path.dropFirst(container.folder.path.count)
        let covers = try FileManager.default.contentsOfDirectory(atPath: coversFolder.path).map {
            "\(place)/\($0)"
        }
        let database = "/Library/mainDb.sqlite"
        let attributes = try FileManager.default.attributesOfItem(atPath: container.database.path)
        let size = attributes[.size] as? Int ?? 0
        let lists: [BareWork] = [.list("/Documents"), .list(String(place))]
        return WireRow(
            name: "list \(names.count) Marvin books", folder: folder,
            device: BareDevice(udid: udid, app: BenchmarkDevice.app, vend: "VendContainer", isOld: true),
            command: ["books"], sign: ("\"path\"", names.count),
            cold: [.read(database, [0..<size])] + lists + covers.map { .read($0, [0..<25_000]) },
            warm: [.status(database)] + lists,
            errand: FileErrand(
                statuses: names.map { "/Documents/\($0)" } + covers, reads: [database] + covers))
    }

    /// Lists EPUBs of 5 MB. The first listing reads a part of each; libimobiledevice and the others read them
    /// completely.
    private func titles() throws -> WireRow {
        let (folder, documents, device) = try sharing("titles")
        let books = try write(few(200) / 10, pictures: 48, in: documents)
        let paths = books.map { "/Documents/\($0.name)" }
        let ends = books.map {
            BareWork.read("/Documents/\($0.name)", [0..<4096, ($0.bytes.count - 65_536)..<$0.bytes.count])
        }
        return WireRow(
            name: "titles of \(books.count) EPUBs of 5 MB", folder: folder, device: device,
            command: ["books"],
            sign: ("\"path\"", books.count), cold: [.list("/Documents")] + ends,
            warm: [.list("/Documents")] + paths.map { .status($0) },
            errand: FileErrand(lists: ["/Documents"], reads: paths))
    }
}
