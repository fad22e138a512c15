import Platform
import Testing

@Suite("Texts are brought into a normalization form")
struct CompatibilityFormsTests {
    /// A digest of the forms that Python's `unicodedata` 14.0 gives.
    private static let digest = "6c18e4dd29ffa838ad081adb33621f8074a26a941ea82158a0b76d8fc76eca7a"

    @Test("Every scalar of Unicode 14 is composed and taken apart as Python does it")
    func scalars() {
        let digest = Digest(.sha256)
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 14,
                scalar.properties.generalCategory != .unassigned,
                scalar.properties.generalCategory != .privateUse
            else { continue }
            let text = "a\(scalar)\u{301}\u{327}"
            for form in [text.composed, text.compatiblyComposed, text.compatiblyDecomposed] {
                digest.add(Array(form.utf8) + [0x0A])
            }
        }
        #expect(digest.finish().map { Hex.text($0) } == Self.digest)
    }

    @Test(
        "Compatibility characters become their letters",
        arguments: [
            ("ﬁelds", "fields"), ("Ⅷ", "VIII"), ("ｗｉｄｅ", "wide"), ("x²", "x2"), ("ｶﾞ", "ガ"), ("𝒳", "X"),
            ("ﷺ", "صلى الله عليه وسلم"),
            ("plain", "plain"), ("", ""), ("한글", "한글"),
        ])
    func letters(text: String, expected: String) {
        #expect(text.compatiblyComposed.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }
}
