import Publications
import Testing

@testable import OverlayHost

@Suite("The words under a highlight are found")
struct MarkedWordsTests {
    private func area(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> PDFArea {
        PDFArea(left: left, top: top, right: right, bottom: bottom)
    }

    @Test("Words of each page are read with their places, and other elements are left out")
    func pages() {
        let output = """
            <word xMin="1" yMin="2" xMax="3" yMax="4">before</word>
            <page width="612.000000" height="792.000000">
              <word xMin="1.5" yMin="2" xMax="3" yMax="4">a &lt;b&gt; &amp;lt; &quot;c&quot;</word>
              <word xMin="1" yMin="2" xMax="3">three</word>
              <word yMin="1" xMin="2" xMax="3" yMax="4">order</word>
              <word xMin="nan" yMin="2" xMax="3" yMax="4">none</word>
              <word xMin="1" yMin="2" xMax="3" yMax="4">cut off
            </page>
              <page width="1" height="1">
            </page>
            <page width="1" height="1">
              <word xMin="1" yMin="2" xMax="3" yMax="4"></word>
            """
        #expect(
            PDFWords.pages(Array(output.utf8)) == [
                [PDFWord(text: "a <b> &lt; \"c\"", area: area(1.5, 2, 3, 4))], [],
                [PDFWord(text: "", area: area(1, 2, 3, 4))],
            ])
        #expect(PDFWords.pages([0xFF, 0x0A, 0x3C]) == [])
    }

    @Test("A word is marked if its middle is")
    func middle() {
        let word = PDFWord(text: "x", area: area(10, 10, 20, 14))
        #expect(word.isMarked(by: area(0, 0, 15, 12)) && word.isMarked(by: area(15, 12, 99, 99)))
        #expect(!word.isMarked(by: area(0, 0, 14.9, 99)) && !word.isMarked(by: area(0, 12.1, 99, 99)))
    }

    @Test("Pages that follow each other are read together, at most 16")
    func ranges() {
        #expect(MarkedWords.ranges([]) == [])
        #expect(MarkedWords.ranges([2, 3, 5]) == [2...3, 5...5])
        #expect(MarkedWords.ranges(Array(1...20)) == [1...16, 17...20])
    }

    @Test("A note is kept beside the marked words, unless it only repeats them")
    func notes() {
        for (note, kept) in [
            ("Why?", "Why?"), ("some numbers", "some numbers"), ("Bernoulli’s num-\nbers, 12", nil),
            (nil, nil),
        ] as [(String?, String?)] {
            var annotation = Annotation(kind: "highlight", note: note)
            MarkedWords.add("Bernoulli's numbers 12", to: &annotation)
            #expect(annotation.text == "Bernoulli's numbers 12" && annotation.note == kept)
        }
    }

    @Test("The words of several areas are in the order of the areas, each once, and never cut")
    func text() {
        let words = ["one", "two", "three"].enumerated().map {
            PDFWord(text: $1, area: area(Double($0), 0, Double($0) + 1, 1))
        }
        let (left, right) = (area(0, 0, 1, 1), area(1, 0, 3, 1))
        #expect(MarkedWords.text(words, [left, right], 99) == "one two three")
        #expect(MarkedWords.text(words, [right, left, right], 99) == "two three one")
        #expect(MarkedWords.text(words, [right], 99) == "two three")
        #expect(MarkedWords.text(words, [left, right], 9) == "one two")
        #expect(MarkedWords.text(words, [], 99) == "")
        #expect(MarkedWords.text(words, [left], 0) == "")
    }
}
