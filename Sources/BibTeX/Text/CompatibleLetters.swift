import Platform

/// Signs that stand for other letters, such as the ligature `ﬁ` for `fi`.
///
/// The table has the signs of European texts; the ideographs and Arabic forms of compatibility are left as they are.
enum CompatibleLetters {
    /// The text with the letters in the place of the signs.
    static func replaced(in text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.ofUsualWidth.unicodeScalars {
            if let letters = letters[scalar] {
                scalars.append(contentsOf: letters)
            } else {
                scalars.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
            }
        }
        return String(scalars)
    }

    private static let letters = Dictionary(
        list.split(separator: " ").map { word in
            (word.unicodeScalars[word.unicodeScalars.startIndex], Array(word.unicodeScalars.dropFirst()))
        }, uniquingKeysWith: { first, _ in first })

    /// Words of a sign and the letters that it stands for.
    private static let list = """
        ªa ²2 ³3 µμ ¹1 ºo ¼1⁄4 ½1⁄2 ¾3⁄4 ĲIJ ĳij ĿL· ŀl· ŉʼn ſs ǄDŽ ǅDž ǆdž ǇLJ ǈLj ǉlj ǊNJ ǋNj ǌnj ǱDZ ǲDz \
        ǳdz ʰh ʱɦ ʲj ʳr ʴɹ ʵɻ ʶʁ ʷw ʸy ˠɣ ˡl ˢs ˣx ˤʕ ‑‐ ․. ‥.. …... ″′′ ‴′′′ ‶‵‵ ‷‵‵‵ ‼!! ⁇?? ⁈?! ⁉!? ⁗′′′′ \
        ⁰0 ⁱi ⁴4 ⁵5 ⁶6 ⁷7 ⁸8 ⁹9 ⁺+ ⁻− ⁼= ⁽( ⁾) ⁿn ₀0 ₁1 ₂2 ₃3 ₄4 ₅5 ₆6 ₇7 ₈8 ₉9 ₊+ ₋− ₌= ₍( ₎) ₐa ₑe ₒo ₓx \
        ₔə ₕh ₖk ₗl ₘm ₙn ₚp ₛs ₜt ₨Rs ℀a/c ℁a/s ℂC ℃°C ℅c/o ℆c/u ℇƐ ℉°F ℊg ℋH ℌH ℍH ℎh ℏħ ℐI ℑI ℒL ℓl ℕN \
        №No ℙP ℚQ ℛR ℜR ℝR ℠SM ℡TEL ™TM ℤZ ℨZ ℬB ℭC ℯe ℰE ℱF ℳM ℴo ℵא ℶב ℷג ℸד ℹi ℻FAX ℼπ ℽγ ℾΓ ℿΠ ⅀∑ ⅅD ⅆd \
        ⅇe ⅈi ⅉj ⅐1⁄7 ⅑1⁄9 ⅒1⁄10 ⅓1⁄3 ⅔2⁄3 ⅕1⁄5 ⅖2⁄5 ⅗3⁄5 ⅘4⁄5 ⅙1⁄6 ⅚5⁄6 ⅛1⁄8 ⅜3⁄8 ⅝5⁄8 ⅞7⁄8 ⅟1⁄ ⅠI ⅡII ⅢIII \
        ⅣIV ⅤV ⅥVI ⅦVII ⅧVIII ⅨIX ⅩX ⅪXI ⅫXII ⅬL ⅭC ⅮD ⅯM ⅰi ⅱii ⅲiii ⅳiv ⅴv ⅵvi ⅶvii ⅷviii ⅸix ⅹx ⅺxi ⅻxii \
        ⅼl ⅽc ⅾd ⅿm ↉0⁄3 ﬀff ﬁfi ﬂfl ﬃffi ﬄffl ﬅst ﬆst ẚaʾ ẛṡ
        """
}
