import Archives
import Fetching
import Formats
import FoundationEssentials
import Publications
import Synchronization

/// A file that is looked into: its bytes, wherever they lie, what is known of it beforehand, and its archive once it was
/// needed.
///
/// Any thread may use it; calls may block.
package final class OpenContent: Sendable {
    /// Its name without folders, if it has one.
    package let name: String?
    /// Its bytes. Of a source far away, what was read stays at hand.
    package let source: any ByteSource
    private let counter: CountingByteSource
    private let resource: (any Resource)?
    /// What has to live as long as the content.
    private let kept: (any Sendable)?
    private let archive = Mutex<ZipArchive?>(nil)

    /// - Parameter isFar: whether each read is worth a detour, so that more is read at once and kept, as
    ///   `readAhead` says.
    init(
        _ source: any ByteSource, name: String?, isFar: Bool, readAhead: ReadAhead = ReadAhead(),
        resource: (any Resource)? = nil, keeping: (any Sendable)? = nil
    ) {
        self.name = name
        kept = keeping
        self.resource = resource
        counter = CountingByteSource(source)
        self.source = isFar ? ReadAheadByteSource(counter, readAhead) : counter
    }

    /// Bytes that were read so far from where the file lies.
    package var bytesRead: Int64 { counter.bytesRead }

    /// How many bytes it has.
    package func length() throws(HostError) -> UInt64 {
        do throws(ByteSourceError) { return UInt64(max(0, try source.length)) } catch {
            throw HostError(error)
        }
    }

    /// Extensions that its name has.
    package var fileExtensions: [String] {
        guard let name, let dot = name.lastIndex(of: "."), dot > name.startIndex else { return [] }
        return [String(name[name.index(after: dot)...])]
    }

    /// Media types that its server gave it; asks the server if nobody has yet.
    package var mediaTypes: [String] {
        guard let resource else { return [] }
        if resource.link.type == nil { _ = resource.length }
        return resource.link.type.map { [$0] } ?? []
    }

    /// Its format, and how that was found.
    package func explainFormat(_ hints: FormatHints = FormatHints()) -> GuessReport {
        Format.explain(
            source: source, fileExtensions: fileExtensions + hints.fileExtensions,
            mediaTypes: mediaTypes + hints.mediaTypes, sniffers: Format.defaultSniffers + hints.ownSniffers,
            otherwise: hints.defaultFormatsOnly ? [] : Format.extendedSniffers + Publication.sniffers)
    }

    /// Its format by the bytes alone, and how that was found.
    package func explainContent(_ hints: FormatHints = FormatHints()) -> GuessReport {
        Format.explain(
            source: source, sniffers: Format.defaultSniffers + hints.ownSniffers,
            otherwise: hints.defaultFormatsOnly ? [] : Format.extendedSniffers + Publication.sniffers)
    }

    /// Its format by the bytes alone; nil if they tell nothing, or cannot be read.
    package var formatByContent: Format? { explainContent().format }

    /// What it says of itself.
    package func publication() throws(HostError) -> PublicationInfo {
        do throws(PublicationError) {
            return try Publication.read(from: source, name: name, mediaTypes: mediaTypes)
        } catch {
            throw HostError(error)
        }
    }

    /// The archive that it is.
    package func openArchive() throws(HostError) -> ZipArchive {
        let result = archive.withLock { archive -> Result<ZipArchive, ArchiveError> in
            if let archive { return .success(archive) }
            do throws(ArchiveError) {
                let opened = try ZipArchive.open(source: source)
                archive = opened
                return .success(opened)
            } catch {
                return .failure(error)
            }
        }
        do throws(ArchiveError) { return try result.get() } catch {
            guard error.code == .notAnArchive else { throw HostError(error, about: name) }
            throw HostError(
                .unsupportedFormat,
                "This is no archive, or one that is cut short; no resources can be found in it.",
                subject: name, underlying: error)
        }
    }

    /// The fetcher of its entries. The content stays the owner of the archive.
    package func fetcher() throws(HostError) -> any Fetcher { ArchiveFetcher(archive: try openArchive()) }

    /// The resource of an HREF within it.
    package func resource(_ href: String) throws(HostError) -> any Resource { try fetcher().get(href: href) }

    /// Closes what is open.
    package func close() { source.close() }
}

/// What is known of the format of a file from elsewhere, and who is asked about it.
package struct FormatHints: Sendable {
    /// Media types, such as that of a download.
    package var mediaTypes: [String] = []
    /// Extensions.
    package var fileExtensions: [String] = []
    /// Sniffers after the host's own.
    package var ownSniffers: [Format.Sniffer] = []
    /// Whether no later formats than those of the proposal are known.
    package var defaultFormatsOnly = false
    /// Whether the content alone decides.
    package var contentOnly = false

    /// No hints.
    package init() {}
}
