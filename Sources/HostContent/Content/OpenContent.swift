import Archives
import Fetching
import Formats
import FoundationEssentials
import HostErrors
import Platform
import Publications
import Synchronization

/// A file whose content is read: a byte source, information about the format, and the archive after it was needed.
///
/// Any thread may use it. Calls may block.
package final class OpenContent: Sendable {
    /// The name without folders; nil if there is none.
    package let name: String?
    /// The byte source. Data from a remote source is kept.
    package let source: any ByteSource
    private let counter: CountingByteSource
    private let resource: (any Resource)?
    /// An object that must exist as long as the content.
    private let kept: (any Sendable)?
    private let archive = Mutex<ZipArchive?>(nil)
    private let declared = Mutex<[String: String]?>(nil)
    private let known = Mutex<Result<PublicationInfo, HostError>?>(nil)

    /// - Parameter isFar: whether reads are slow, so that larger blocks are read and kept, with the sizes in
    ///   `readAhead`.
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

    /// The number of bytes read from the file so far.
    package var bytesRead: Int64 { counter.bytesRead }

    /// The size in bytes.
    package func length() throws(HostError) -> UInt64 {
        do throws(ByteSourceError) { return UInt64(max(0, try source.length)) } catch {
            throw HostError(error)
        }
    }

    /// Hints about the format from the name or from the server. For a URL, the server is asked once. Its final
    /// address, its suggested file name and its media type are used.
    ///
    /// - Throws: the error of the server, or of the request.
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

    /// The header of the server's answer; nil for content that is not from a server.
    private func answer() throws(HostError) -> HTTPResponse? {
        guard let resource = resource as? any AskableResource else { return nil }
        switch resource.ask() {
        case .success(let answer): return answer
        case .failure(let error): throw HostError(error, subject: resource.link.href)
        }
    }

    /// Determines the format and explains the decision. Hints about a URL are used only if it has content.
    ///
    /// - Throws: an error if the server does not provide the content, or if reading it fails.
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

    /// Determines the format from the bytes only, and explains the decision.
    package func explainContent(_ hints: FormatHints = FormatHints()) -> GuessReport {
        Format.explain(
            source: source, sniffers: Format.defaultSniffers + hints.ownSniffers,
            otherwise: hints.defaultFormatsOnly ? [] : Publication.laterSniffers)
    }

    /// The format determined from the bytes only; nil if it is unknown or if reading fails.
    package var formatByContent: Format? { explainContent().format }

    /// Reads the metadata of the publication.
    package func publication() throws(HostError) -> PublicationInfo {
        if let known = known.withLock({ $0 }) { return try known.get() }
        return try readPublication()
    }

    /// Reads the metadata in advance for a later call of `publication`.
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

    /// Opens the content as an archive.
    package func openArchive() throws(HostError) -> ZipArchive {
        let result = archive.withLock { archive -> Result<ZipArchive, ArchiveError> in
            if let archive { return .success(archive) }
            do throws(ArchiveError) {
                // The archive borrows the source, so that a content which is not an archive can still be read.
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

    /// The media types that the publication declares for its entries, by their paths. Read once.
    func declaredTypes(_ archive: ZipArchive) -> [String: String] {
        if let known = declared.withLock({ $0 }) { return known }
        let types = Publication.declaredTypes(in: archive)
        declared.withLock { $0 = types }
        return types
    }

    /// A fetcher for the entries. The content still owns the archive.
    package func fetcher() throws(HostError) -> any Fetcher { ArchiveFetcher(archive: try openArchive()) }

    /// The resource with an HREF in the content.
    package func resource(_ href: String) throws(HostError) -> any Resource { try fetcher().get(href: href) }

    /// Closes the source.
    package func close() { source.close() }
}

/// Information about the format of a file from other sources, and the sniffers to use.
package struct FormatHints: Sendable {
    /// Media types, for example that of a download.
    package var mediaTypes: [String] = []
    /// Extensions.
    package var fileExtensions: [String] = []
    /// Sniffers that are used after those of the host.
    package var ownSniffers: [Format.Sniffer] = []
    /// Whether to recognize only the formats of the proposal.
    package var defaultFormatsOnly = false
    /// Whether to use only the content.
    package var contentOnly = false

    /// Creates empty hints.
    package init() {}
}
