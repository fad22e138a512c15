import FoundationEssentials
import FormatSamples

@testable import Formats
@testable import Markup

extension FuzzTarget {
    /// XML and HTML, read as a tree, as an outline, and as the first tag alone.
    static let markup = FuzzTarget(
        name: "markup", longest: 16 << 10,
        run: { data in
            data.withUnsafeBytes { bytes in
                let limits = MarkupLimits(bytes: 1 << 20, elements: 2000, depth: 64)
                let document = attempt { () throws(MarkupError) in
                    try MarkupReader(limits: limits).read(bytes)
                }
                let again = attempt { () throws(MarkupError) in try MarkupReader(limits: limits).read(bytes) }
                expect(document?.root == again?.root, "two readings differ")
                if let root = document?.root { expect(depth(of: root) <= 64, "the tree is too deep") }
                let outline = HTMLOutline(bytes)
                expect(outline.images.count <= 64, "too many images")
                expect(outline == HTMLOutline(bytes), "two outlines differ")
            }
            _ = MarkupScanner.scan([UInt8](data))
        },
        seeds: {
            [
                "<?xml version='1.0' encoding='ISO-8859-1'?><a b='c'>&amp;\u{E9}<![CDATA[x]]></a>",
                "<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;'>]><a>&d;</a>",
                "<a xmlns='u' xmlns:p='v'><p:b p:c='1'>x & y</p:b><!-- - --></a>",
                "<html><head><meta charset=utf-8><title>T &eacute;</title></head><img src=a><svg><image xlink:href=b>",
                "\u{FEFF}<a><b><c><d/></c></b></a>",
            ].map { Data($0.utf8) } + FormatSample.all.filter { !$0.isArchive }.map { Data($0.content) }
        })

    private static func depth(of element: MarkupElement) -> Int {
        1 + (element.children.map { depth(of: $0) }.max() ?? 0)
    }
}
