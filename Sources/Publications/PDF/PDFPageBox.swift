/// An area of a page as it is shown, in points from the upper left corner of the page's media box.
public struct PDFArea: Hashable, Sendable {
    /// The distances of the sides from the left and top edges of the page.
    public var left, top, right, bottom: Double

    /// Creates an area from the distances of its sides.
    public init(left: Double, top: Double, right: Double, bottom: Double) {
        (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }
}

/// The geometry of a page: its media box and its rotation (ISO 32000-1, 7.7.3.3).
struct PDFPageBox {
    private let left, bottom, width, height: Double
    /// The rotation in clockwise quarter turns.
    private let turns: Int

    /// Reads the geometry from a page dictionary that includes the inherited values. A page without a media box has
    /// US Letter size, as in other readers.
    init(_ page: [String: PDFObject], _ file: PDFFile) throws(PDFFault) {
        var box: [Double] = []
        for side in try file.resolve(page["MediaBox"]).array?.prefix(5) ?? [] {
            box.append(try file.resolve(side).number ?? .nan)
        }
        if box.count != 4 || !box.allSatisfy(\.isFinite) { box = [0, 0, 612, 792] }
        (left, bottom) = (min(box[0], box[2]), min(box[1], box[3]))
        (width, height) = (abs(box[2] - box[0]), abs(box[3] - box[1]))
        let degrees = try file.resolve(page["Rotate"]).integer ?? 0
        turns = degrees.isMultiple(of: 90) ? (degrees / 90 % 4 + 4) % 4 : 0
    }

    /// The smallest area that contains all corners, which are pairs of numbers; nil unless all values are finite.
    func area(_ corners: ArraySlice<Double>) -> PDFArea? {
        guard corners.count >= 2, corners.allSatisfy(\.isFinite) else { return nil }
        var area: PDFArea?
        for start in stride(from: corners.startIndex, to: corners.endIndex - 1, by: 2) {
            let (x, y) = shown(corners[start] - left, corners[start + 1] - bottom)
            guard let former = area else {
                area = PDFArea(left: x, top: y, right: x, bottom: y)
                continue
            }
            area = PDFArea(
                left: min(former.left, x), top: min(former.top, y), right: max(former.right, x),
                bottom: max(former.bottom, y))
        }
        return area
    }

    private func shown(_ x: Double, _ y: Double) -> (Double, Double) {
        switch turns {
        case 1: (y, x)
        case 2: (width - x, y)
        case 3: (height - y, width - x)
        default: (x, height - y)
        }
    }
}
