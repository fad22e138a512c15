import BibTeX

/// Comments that only the device has, for blocks that are taken from it.
struct DeviceComments {
    private let known: Set<String>
    private let device: BibTeXDocument

    init(base: BibTeXDocument, host: BibTeXDocument, device: BibTeXDocument) {
        self.device = device
        var known: Set<String> = []
        for document in [base, host] {
            for block in document.blocks { known.formUnion(TextLines.filled(block.text(block.leading))) }
        }
        self.known = known
    }

    /// The new lines before a block, with their line ends; empty if there are none. BibDesk's header is excluded.
    func lines(before index: Int) -> String {
        let block = device.blocks[index]
        return TextLines.filled(block.text(block.leading))
            .filter { !known.contains($0) && !TextLines.isHeader($0) }.map { $0 + "\n" }.joined()
    }
}
