import Platform
import Testing

@Suite("Letters that Unicode does not decompose stand for plain letters")
struct PlainLettersTests {
    @Test("Small letters without a decomposition have plain letters, and no other characters do")
    func letters() {
        let found = (0..<0x300).compactMap { Unicode.Scalar($0) }.filter { $0.plainLetters != nil }
        #expect(found == ["ß", "æ", "ð", "ø", "đ", "ħ", "ı", "ł", "ŋ", "œ", "ŧ", "þ", "ȷ"].sorted())
        for letter in found {
            let letters = letter.plainLetters ?? ""
            #expect(!letters.isEmpty && letters.utf8.allSatisfy { (0x61...0x7A).contains($0) }, "\(letter)")
            #expect(letter.properties.isLowercase && !letter.isASCII, "\(letter)")
        }
    }
}
