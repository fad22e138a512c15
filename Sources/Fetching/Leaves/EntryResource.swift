import Archives
import FoundationEssentials
import Synchronization

/// One entry of an archive. Its reader keeps what makes the next range cheap.
final class EntryResource<Container: Archive>: Resource {
    let link: Link
    private let archive: Container
    private let entry: Container.Entry
    private let reader: any ArchiveEntryReader
    private let isClosed = Atomic<Bool>(false)

    init(archive: Container, entry: Container.Entry, link: Link) {
        self.archive = archive
        self.entry = entry
        self.link = link.addingProperties(ArchiveProperties.of(entry))
            .filling(type: MediaTypeByExtension.type(ofPath: entry.path))
        reader = archive.reader(entry)
    }

    /// The length that the archive declares, without reading.
    var length: Result<Int64, ResourceError> {
        isClosed.load(ordering: .acquiring) ? closed() : .success(entry.length)
    }

    func read(range: Range<Int64>?) -> Result<Data, ResourceError> {
        guard !isClosed.load(ordering: .acquiring) else { return closed() }
        do throws(ArchiveError) {
            guard let range else { return .success(try reader.read()) }
            return .success(try reader.read(range: range))
        } catch {
            return .failure(ResourceError(error))
        }
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
        reader.reset()
    }

    private func closed<Value>() -> Result<Value, ResourceError> {
        .failure(.unavailable(RequestProblem.closed))
    }
}
