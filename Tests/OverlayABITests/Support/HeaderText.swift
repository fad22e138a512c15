import Foundation

/// The documented content of the headers: each function with its comment and parameters, and each struct and constant
/// with its comment.
struct HeaderText {
    struct Parameter: Equatable {
        var name: String
        /// Whether null may be passed; nil for a value.
        var nullable: Bool?
    }

    struct Function {
        var table: String
        var name: String
        var comment: String
        var parameters: [Parameter]
    }

    struct Record {
        var name: String
        var comment: String
    }

    struct Constant {
        var name: String
        var value: String
        var comment: String
    }

    var functions: [Function] = []
    var records: [Record] = []
    var constants: [Constant] = []

    /// Everything the four headers of the contract declare.
    static func contract() throws -> HeaderText {
        var text = HeaderText()
        for name in SourceTree.contractHeaders { text.read(try SourceTree.header(name)) }
        return text
    }

    private mutating func read(_ source: String) {
        let record = #/(/\*\*(?:[^*]|\*(?!/))*\*/\n)?typedef struct (ovl_\w+) \{(.*?)\n\} \2;/#
            .dotMatchesNewlines()
        for match in source.matches(of: record) {
            records.append(Record(name: String(match.2), comment: String(match.1 ?? "")))
            readFunctions(of: String(match.2), in: String(match.3))
        }
        let constant = #/(/\*\*(?:[^*]|\*(?!/))*\*/\n)?#define (OVL_\w+) ([^\n]+)/#
        for match in source.matches(of: constant) {
            constants.append(
                Constant(name: String(match.2), value: String(match.3), comment: String(match.1 ?? "")))
        }
    }

    private mutating func readFunctions(of table: String, in body: String) {
        let slot = #/(/\*\*(?:[^*]|\*(?!/))*\*/)?\s*[^;/]*?\(\*OVL_NULLABLE (\w+)\)\(([^;]*)\);/#
        for match in body.matches(of: slot) {
            let parameters = match.3.split(separator: ",").map { text -> Parameter in
                let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
                let isPointer = text.contains("*")
                // The last annotation belongs to the outermost pointer.
                let annotation = words.last { $0.hasPrefix("OVL_N") }
                return Parameter(
                    name: words.last ?? "", nullable: isPointer ? annotation == "OVL_NULLABLE" : nil)
            }
            functions.append(
                Function(
                    table: table, name: String(match.2), comment: String(match.1 ?? ""),
                    parameters: parameters))
        }
    }
}
