import Foundation
import Testing

@Suite("Messages of errors are sentences")
struct MessageTests {
    @Test("A message is a sentence that ends with a full stop and has straight quotes")
    func sentences() throws {
        var found = 0
        for (module, files) in try SourceTree().modules {
            for file in files {
                for message in Self.messages(in: file.text) {
                    found += 1
                    #expect(Self.isSentence(message), "\(module)/\(file.path)")
                }
            }
        }
        #expect(found > 700)
    }

    @Test("A command at the end of a hint has no full stop that could be copied with it")
    func commands() throws {
        let stopped = /: overlayhost [a-z][^"\n]*\."/
        for (module, files) in try SourceTree().modules {
            for file in files {
                let joined = file.text.replacing(/"\s*\+\s*"/, with: "")
                let isStopped = joined.contains(stopped)
                #expect(!isStopped, "\(module)/\(file.path)")
            }
        }
        #expect("hint: \"List them with: overlayhost apps.\")".contains(stopped))
    }

    @Test("Messages are found in the calls that create errors, and judged")
    func finds() {
        let text = #"""
            throw HostError(.busy, "One \(text("a b")) more.", subject: path)
            throw OverlayError(
                .failed,
                "Two "
                    + "halves.")
            throw HostError(.failed, reason)
            throw WireError(.malformed, "Ends with " + reason)
            // HostError(.busy, "no message")
            """#
        let found = Self.messages(in: text)
        #expect(found == [#"One \(text("a b")) more."#, "Two halves.", #"Ends with \()"#])
        #expect(found.allSatisfy(Self.isSentence))
        for message in [
            "--csv lists one device.", "iOS refuses.", #"\(app) is busy."#, #"It ended: \(reason)"#,
        ] {
            #expect(Self.isSentence(message))
        }
        for message in [
            "no capital.", "No full stop", "No stop (x)", "", "st_size is missing.", "A quote of “Emma”.",
        ] {
            #expect(!Self.isSentence(message))
        }
    }

    /// The literals that are messages, as they are in the source. `\()` stands for a value that is added.
    private static func messages(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        // A full stop and the code come first.
        let call = /\b[A-Z]\w*(?:Error|Failure|Breach|Problem|Refusal)\(\s*\.\w+,\s*(?=")/
        return text.matches(of: call).compactMap { match in
            let before = text[..<match.range.lowerBound]
            let line = before[(before.lastIndex(of: "\n") ?? before.startIndex)...]
            guard !line.contains("//") else { return nil }
            var index = text.utf8.distance(from: text.startIndex, to: match.range.upperBound)
            var message = ""
            while true {
                let end = FileNames.end(ofString: index, in: bytes)
                let literal = String(decoding: bytes[index..<end], as: UTF8.self)
                let marks = literal.hasPrefix("\"\"\"") ? 3 : 1
                message += literal.dropFirst(marks).dropLast(marks)
                let rest = String(decoding: bytes[end...].prefix(200), as: UTF8.self)
                guard let plus = rest.prefixMatch(of: #/\s*\+\s*/#) else { break }
                guard rest[plus.range.upperBound...].hasPrefix("\"") else {
                    message += #"\()"#
                    break
                }
                index = end + rest[..<plus.range.upperBound].utf8.count
            }
            return message.trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// An option and the name iOS keep their small letters. What another error says ends the sentence by itself. Names
    /// are in straight quotes, like the subject that the program prints before the message.
    private static func isSentence(_ message: String) -> Bool {
        guard let first = message.first, let last = message.last else { return false }
        let begins = first.isUppercase || "\\\"'-".contains(first) || message.hasPrefix("iOS")
        let ends = ".'".contains(last) || (last == ")" && message.contains(#"\("#))
        return begins && ends && !message.contains("“")
    }
}
