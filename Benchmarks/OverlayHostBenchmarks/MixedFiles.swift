import FormatSamples
import Formats
import Foundation

/// Real and generated files of all known formats, with names that do not show the format.
final class MixedFiles {
    /// Their paths, in an order that mixes the formats.
    private(set) var paths: [String] = []
    /// The format of each file; nil if it is not one of the 18.
    private(set) var formats: [Format?] = []
    /// The number of real files.
    private(set) var realCount = 0
    private let folder: URL

    init(count: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "overlayhost-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let real = Array(RealDocuments.paths().prefix(count))
        let made = FormatSample.all + FormatSample.variants
        realCount = real.count
        var contents: [(Data, Format?)] = try real.map {
            (try Data(contentsOf: URL(fileURLWithPath: $0)), RealDocuments.format(ofPath: $0))
        }
        for place in 0..<(count - real.count) {
            let sample = made[place % made.count]
            contents.append((Data(sample.content), sample.format))
        }
        // A stride without a common divisor visits each file once, with neighbours far from each other.
        let stride = 7919
        for place in 0..<contents.count {
            let (content, format) = contents[place * stride % contents.count]
            let path = folder.appendingPathComponent("\(place)")
            try content.write(to: path)
            paths.append(path.path)
            formats.append(format)
        }
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}
