import Archives
import DeviceTransport
import Foundation
import OverlayHost

extension Invocation {
    /// The most bytes taken from standard input: 256 MiB.
    private static let largestInput = 256 << 20

    /// A file of this computer, what is behind a URL, or standard input (`-`), to be looked into.
    func content(_ input: String) throws(HostError) -> OpenContent {
        if input == "-" { return OpenContent(bytes: try Self.standardInput(), name: nil) }
        if OpenContent.isURL(input) || (Self.hasScheme(input) && !OpenContent.isFile(input)) {
            return try OpenContent(url: input, limits: OperationContext(cancellation: cancellation))
        }
        return try OpenContent(path: input)
    }

    /// Whether a text looks like a URL of whatever scheme.
    private static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else { return false }
        return text[colon...].hasPrefix("://") && text[..<colon].allSatisfy { $0.isASCII && $0.isLetter }
    }

    private static func standardInput() throws(HostError) -> Data {
        var data = Data()
        do {
            while let piece = try FileHandle.standardInput.read(upToCount: 1 << 20), !piece.isEmpty {
                data.append(piece)
                guard data.count <= largestInput else {
                    throw HostError(
                        .invalidArgument, "Standard input has more than \(largestInput >> 20) MiB.",
                        subject: "-",
                        hint: "Save it to a file first.")
                }
            }
        } catch let error as HostError {
            throw error
        } catch {
            throw HostError(.inputUnreadable, "Standard input cannot be read: \(error).", subject: "-")
        }
        return data
    }
}
