import Archives
import Fetching
import Formats
import FoundationEssentials
import HostErrors
import Platform
import Publications
import Synchronization

/// A file whose content is read: its bytes, wherever they are stored, what is known about it beforehand, and
/// its archive once it was needed.
///
/// Any thread may use it; calls may block.
package final class OpenContent: Sendable {
    /// Its name without folders, if it has one.
    package let name: String?
    /// Its bytes. What was read of a remote source is kept.
    package let source: any ByteSource
    private let counter: CountingByteSource
    private let resource: (any Resource)?
    /// What has to live as long as the content.
    private let kept: (any Sendable)?
    private let archive = Mutex<ZipArchive?>(nil)
    private let declared = Mutex<[String: String]?>(nil)
    private let known = Mutex<Result<PublicationInfo, HostError>?>(nil)

    /// - Parameter isFar: whether each read is worth a detour, so that more is read at once and kept, as
    ///   `readAhead` says.
    package init(
        _ source: any ByteSource, name: String?, isFar: Bool, readAhead: ReadAhead = ReadAhead(),
        resource: (any Resource)? = nil, keeping: (any Sendable)? = nil
    ) {
        self.name = name
        kept = keeping
        self.resource = resource
        counter = CountingByteSource(source)
        self.source = isFar ? ReadAheadByteSource(counter, readAhead) : counter
    }

    /// Bytes that were read from the file so far.
    package var bytesRead: Int64 { counter.bytesRead }

    /// How many bytes it has.
    package func length() throws(HostError) -> UInt64 {
        do throws(ByteSourceError) { return UInt64(max(0, try source.length)) } catch {
            throw HostError(error)
        }
    }

    /// What its name or its server says about its format. A server is asked, once, and by its final address, the file name that
    /// it suggests and the type that it gives.
    ///
    /// - Throws: what the server answers if it does not have it, or why it cannot be asked.
    package func hints() throws(HostError) -> ResponseHints {
        guard let answer = try answer() else {
            var own: [String] = []
            if let ending = name?.nameEnding, !ending.isEmpty { own = [String(ending)] }
            return ResponseHints(
                contentDisposition: nil, contentType: nil, addresses: [], fileExtensions: own)
        }
        return ResponseHints(
            headers: answer.headers.fields.map { ($0.name, $0.value) },
            addresses: [answer.url] + (resource.map { [$0.link.href] } ?? []))
    }

    /// The head of the server's answer; nil for what no server has.
    private func answer() throws(HostError) -> HTTPResponse? {
        guard let resource = resource as? any AskableResource else { return nil }
        switch resource.ask() {
        case .success(let answer): return answer
        case .failure(let error): throw HostError(error, subject: resource.link.href)
        }
    }

    /// Its format, and how that was found. Hints about a URL count only if it has content.
    ///
    /// - Throws: why nothing is behind a URL; why a content cannot be read that was asked.
    package func explainFormat(_ hints: FormatHints = FormatHints()) throws(HostError) -> GuessReport {
        let known = try self.hints()
        let report = Format.explain(
            source: source, fileExtensions: known.fileExtensions + hints.fileExtensions,
            mediaTypes: known.mediaTypes + hints.mediaTypes,
            sniffers: Format.defaultSniffers + hints.ownSniffers,
            otherwise: hints.defaultFormatsOnly ? [] : Publication.laterSniffers)
        if report.format == nil, let error = report.readError { throw HostError(error) }
        return report
    }

    /// Its format by the bytes alone, and how that was found.
    package func explainContent(_ hints: FormatHints = FormatHints()) -> GuessReport {
        Format.explain(
            source: source, sniffers: Format.defaultSniffers + hints.ownSniffers,
            otherwise: hints.defaultFormatsOnly ? [] : Publication.laterSniffers)
    }

    /// Its format by the bytes alone; nil if they tell nothing, or cannot be read.
    package var formatByContent: Format? { explainContent().format }

    /// What it says about itself.
    package func publication() throws(HostError) -> PublicationInfo {
        if let known = known.withLock({ $0 }) { return try known.get() }
        return try readPublication()
    }

    /// Reads what it says about itself, so that `publication` need not.
    package func readAhead() {
        let result = Result { () throws(HostError) in try readPublication() }
        known.withLock { $0 = result }
    }

    private func readPublication() throws(HostError) -> PublicationInfo {
        let suggested = try answer()?.headers["Content-Disposition"].flatMap(ContentDisposition.fileName)
        let mediaTypes = try hints().mediaTypes
        do throws(PublicationError) {
            return try Publication.read(from: source, name: suggested ?? name, mediaTypes: mediaTypes)
        } catch {
            throw HostError(error)
        }
    }

    /// The archive that it is.
    package func openArchive() throws(HostError) -> ZipArchive {
        let result = archive.withLock { archive -> Result<ZipArchive, ArchiveError> in
            if let archive { return .success(archive) }
            do throws(ArchiveError) {
                // Lent, so that a content that is not an archive can still be read.
                let opened = try ZipArchive.open(source: BorrowedByteSource(source))
                archive = opened
                return .success(opened)
            } catch {
                return .failure(error)
            }
        }
        do throws(ArchiveError) { return try result.get() } catch {
            var failure = HostError(error, about: name)
            switch error.code {
            case .notAnArchive: failure.message = "This is not an archive, so it has no resources."
            case .malformed:
                failure.hint =
                    "Get the file again. 'overlayhost info' shows what can still "
                    + "be read."
            default: break
            }
            throw failure
        }
    }

    /// The media types that the publication declares for its entries, by their paths; read once.
    func declaredTypes(_ archive: ZipArchive) -> [String: String] {
        if let known = declared.withLock({ $0 }) { return known }
        let types = Publication.declaredTypes(in: archive)
        declared.withLock { $0 = types }
        return types
    }

    /// The fetcher of its entries. The content stays the owner of the archive.
    package func fetcher() throws(HostError) -> any Fetcher { ArchiveFetcher(archive: try openArchive()) }

    /// The resource of an HREF within it.
    package func resource(_ href: String) throws(HostError) -> any Resource { try fetcher().get(href: href) }

    /// Closes what is open.
    package func close() { source.close() }
}

/// What is known about the format of a file from elsewhere, and who is asked about it.
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
