/// The parts of a file's first page that a cover needs.
struct PDFFirstPage {
    /// The external objects that the page may paint, by name.
    let externalObjects: [String: PDFObject]
    /// The streams that paint it.
    let contents: [PDFObject]
    /// The area of the page: width times height, in square points.
    let area: Double
    /// The rotation of the page when it is shown, in degrees.
    let rotation: Int

    /// Walks down the page tree to its first leaf; nil if none is found within the limits.
    init?(of file: PDFFile) throws(PDFFault) {
        let root = try file.resolve(file.trailer["Root"]).dictionary ?? [:]
        var node = try file.resolve(root["Pages"]).dictionary ?? [:]
        var inherited: [String: PDFObject] = [:]
        for _ in 0..<32 {
            for key in ["Resources", "MediaBox", "Rotate"] {
                if let value = node[key] { inherited[key] = value }
            }
            guard let children = try file.resolve(node["Kids"]).array else { break }
            var next: [String: PDFObject]?
            for child in children.prefix(16) where next == nil {
                let entries = try file.resolve(child).dictionary
                // Skips an inner node without pages.
                if let entries, try file.resolve(entries["Count"]).integer != 0 { next = entries }
            }
            guard let next else { return nil }
            node = next
        }
        guard node["Kids"] == nil, !node.isEmpty else { return nil }
        let resources = try file.resolve(inherited["Resources"]).dictionary ?? [:]
        externalObjects = try file.resolve(resources["XObject"]).dictionary ?? [:]
        let contents = node["Contents"] ?? .null
        self.contents = try file.resolve(contents).array ?? [contents]
        rotation = try file.resolve(inherited["Rotate"]).integer ?? 0
        var corners: [Double] = []
        for corner in try file.resolve(inherited["MediaBox"]).array ?? [] {
            corners.append(try file.resolve(corner).number ?? .nan)
        }
        guard corners.count == 4, corners.allSatisfy(\.isFinite) else { return nil }
        area = abs((corners[2] - corners[0]) * (corners[3] - corners[1]))
    }
}
