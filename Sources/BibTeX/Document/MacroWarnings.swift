extension BibTeXDocument {
    /// The macros that programs read in different ways, with their positions in the file: names without a definition,
    /// and names with several.
    var macroWarnings: [(Int, String)] {
        let macros = macros()
        var defined: Set<String> = []
        var warnings: [(Int, String)] = []
        var start = 0
        for block in blocks {
            func check(_ span: BibTeXSpan, _ names: [String]) {
                for name in names where !macros.defines(name) {
                    warnings.append(
                        (start + span.start, "The macro '\(name)' is not defined, so it stands for its name.")
                    )
                }
            }
            if block.kind == .preamble, !block.isOpaque { check(block.content, block.preambleMacros) }
            for field in block.fields where field.isReadable {
                if block.kind == .string, !defined.insert(block.name(of: field)).inserted {
                    warnings.append(
                        (
                            start + field.name.start,
                            "The macro is defined already. The last definition counts."
                        ))
                }
                if block.mayUseMacros(field) { check(field.value, block.value(of: field).macroNames) }
            }
            start += block.bytes.count
        }
        return warnings
    }
}

extension BibTeXBlock {
    /// Whether a value may have the name of a macro in it: it begins with one, or is joined of several parts.
    fileprivate func mayUseMacros(_ field: BibTeXField) -> Bool {
        let value = bytes(field.value)
        guard let first = value.first else { return false }
        let isDelimited = first == BibTeXBytes.openBrace || first == BibTeXBytes.quote
        return !isDelimited || value.contains(BibTeXBytes.hash)
    }
}
