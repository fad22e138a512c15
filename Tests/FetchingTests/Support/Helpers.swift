import Archives
import Fetching
import Foundation
import Synchronization
import TestSupport

/// A resource in memory that records every read, and can be made to fail.
final class NotingResource: Resource {
    let link: Link
    private let content: Data
    private let noted = Mutex<[Range<Int64>?]>([])
    private let closes = Atomic<Int>(0)
    private let failure = Mutex<ResourceError?>(nil)

    init(_ content: Data, link: Link = Link(href: "/noted")) {
        self.content = content
        self.link = link
    }

    var reads: [Range<Int64>?] { noted.withLock { $0 } }
    var closeCount: Int { closes.load(ordering: .relaxed) }

    func fail(_ error: ResourceError?) { failure.withLock { $0 = error } }

    var length: Result<Int64, ResourceError> {
        failure.withLock { $0 }.map { .failure($0) } ?? .success(Int64(content.count))
    }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        noted.withLock { $0.append(range) }
        if let error = failure.withLock({ $0 }) { return .failure(error) }
        return BytesResource(link: link, bytes: content).read(range: range)
    }

    func close() { closes.wrappingAdd(1, ordering: .relaxed) }
}

/// A resource whose reads wait until they are released, and are not woken by closing.
final class HeldResource: Resource {
    let link = Link(href: "/held")
    private let changed = DispatchSemaphore(value: 0)
    private let entered = DispatchSemaphore(value: 0)

    /// Waits until a read is waiting.
    func waitForReader() { entered.wait() }

    /// Releases one read.
    func letGo() { changed.signal() }

    var length: Result<Int64, ResourceError> {
        hold()
        return .success(4)
    }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        hold()
        return .success(Data("held".utf8))
    }

    func close() {}

    private func hold() {
        entered.signal()
        changed.wait()
    }
}

/// A fetcher that counts how often it was closed.
final class NotingFetcher: Fetcher {
    let links: [Link]
    private let closes = Atomic<Int>(0)
    private let asked = Mutex<[String]>([])

    init(links: [Link] = []) { self.links = links }

    var closeCount: Int { closes.load(ordering: .relaxed) }
    var hrefs: [String] { asked.withLock { $0 } }

    func get(_ link: Link, parameters: [String: String]) -> any Resource {
        asked.withLock { $0.append(link.href) }
        return StringResource(link: link, string: link.href)
    }

    func close() { closes.wrappingAdd(1, ordering: .relaxed) }
}

extension Result where Failure == ResourceError {
    /// The failure, if it is one.
    var error: ResourceError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension TemporaryFolder {
    /// Writes a file, with the folders above it.
    func write(_ text: String, _ name: String) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Makes a symbolic link.
    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
    }
}

/// An archive in memory.
func archive(_ builder: ZipBuilder) throws -> ZipArchive {
    try ZipArchive.open(source: DataByteSource(builder.data()))
}

/// Bytes that do not compress.
func noise(_ count: Int) -> Data {
    var generator = SeededGenerator(seed: 7)
    let words = (0..<(count / 8 + 1)).map { _ in generator.next() }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
}
