import Diagnostics
import Testing

@testable import MarvinCommands

@Suite("Files of apps that deviate from the protocol are read anyway")
struct TolerantReadingTests {
    private func status(_ text: String) throws -> CommandStatus {
        try CommandStatus(decoding: Array(text.utf8))
    }

    private func failure(_ text: String) -> CommandReadError.Code? {
        do {
            _ = try status(text)
            return nil
        } catch let error as CommandReadError {
            return error.code
        } catch {
            return nil
        }
    }

    @Test(
        "The prolog may be missing, damaged, or preceded by a byte-order mark",
        arguments: [
            "", "\u{FEFF}", "<?xml version='1.0' encoding='utf-8'?>\n",
            "<?xml version='1.0' encoding='utf-8?>\n",
            "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "\n\n  <?xml version='1.0'?>",
            "<!-- hello --> ",
            "<?xml version='1.0' encoding='utf-16'?>",
        ])
    func prolog(text: String) throws {
        let read = try status(text + "<status timestamp=\"1.0\" code=\"0\"><progress>1.0</progress></status>")
        #expect(read.code == .success)
    }

    @Test("The doubled timestamp of the published description is read once")
    func doubledTimestamp() throws {
        let read = try status("<status timestamp=timestamp='1700000005.0' code='0'/>")
        #expect(read.timestamp.text == "1700000005.0")
        for root in ["uploadbooks overwrite='yes'", "updatemetadata cleanupcollections='yes'"] {
            let name = root.prefix { $0 != " " }
            let file =
                "<\(root) timestamp=timestamp='17.0'><manifest><book filename='a'/></manifest></\(name)>"
            #expect(try Command(decoding: Array(file.utf8)).fileNames == ["a"])
        }
    }

    @Test("<collections> used as its own end tag closes the list")
    func collectionsAsEndTag() throws {
        let file = """
            <rebuildcollections timestamp='1.0'><manifest>
            <book filename='a'><collections><collection>One</collection><collections></book>
            <book filename='b'><collections><collection>Two <![CDATA[<collections>]]></collection></collections></book>
            <book filename='c'><collections><!-- <collections> --><collection>Three</collection><collections></book>
            </manifest></rebuildcollections>
            """
        guard case .rebuildCollections(let command) = try Command(decoding: Array(file.utf8)) else {
            Issue.record("another command was read")
            return
        }
        #expect(command.books.map(\.collections) == [["One"], ["Two <collections>"], ["Three"]])
    }

    @Test("Both typing errors may come together, with the damaged prolog")
    func allTypingErrors() throws {
        let file = """
            <?xml version='1.0' encoding='utf-8?>
            <uploadbooks timestamp=timestamp='1364148473.0' overwrite='yes'><manifest>
            <book filename='a.epub' coverhash='x'><collections><collection>NEW</collection><collections></book>
            </manifest></uploadbooks>
            """
        guard case .uploadBooks(let command) = try Command(decoding: Array(file.utf8)) else {
            Issue.record("another command was read")
            return
        }
        #expect(command.overwrite)
        #expect(command.books.first?.collections == ["NEW"])
        #expect(command.timestamp.seconds == 1_364_148_473)
    }

    @Test("NUL bytes, white space, unknown elements and attributes, and either quote style are accepted")
    func looseLayout() throws {
        let read = try status(
            "<status code=' 1 ' timestamp='2' extra=\"it's\">\n <more><progress>0.9</progress></more>\n"
                + " <progress>\n 0.5 </progress><messages kind='x'><message>\n [a.epub] bad \n</message><note/></messages>"
                + "</status>\n\u{0}\u{0}\n\u{0}")
        #expect(read.code == .warnings)
        #expect(read.progress == 0.5)
        #expect(read.messages == ["[a.epub] bad"])
    }

    @Test("Namespaces and prefixes do not matter")
    func prefixes() throws {
        #expect(try status("<m:status xmlns:m='urn:x' m:code='3' timestamp='1'/>").code == .cancelled)
    }

    @Test(
        "Progress that is not a fraction is brought into range or left out",
        arguments: [
            ("1.5", 1.0), ("-3", 0.0), ("NaN", nil), ("inf", 1.0), ("", nil), ("half", nil), ("1e400", 1.0),
            (" 0.25 ", 0.25),
        ] as [(String, Double?)])
    func progress(text: String, expected: Double?) throws {
        #expect(
            try status("<status timestamp='1' code='-1'><progress>\(text)</progress></status>").progress
                == expected)
    }

    @Test("Missing progress, messages and timestamp are not failures")
    func bareStatus() throws {
        let read = try status("<status code='2'/>")
        #expect(read.progress == nil)
        #expect(read.messages.isEmpty)
        #expect(read.timestamp.seconds == nil)
        #expect(try status("<status code='1'><messages/></status>").messages.isEmpty)
        #expect(
            try status("<status code='1'><messages><message/><message> </message></messages></status>")
                .messages.isEmpty)
    }

    @Test("A code the protocol does not know is kept", arguments: [4, -2, 99])
    func unknownCode(number: Int) throws {
        #expect(try status("<status timestamp='1' code='\(number)'/>").code.rawValue == number)
    }

    @Test(
        "An empty or cut-off status has to be read again",
        arguments: ["", "\u{FEFF}", "\u{0}\u{0}", " \n", "<", "<?xml", "<?xml version='1.0'?>", "<!-- a"])
    func emptyStatus(text: String) {
        #expect(failure(text) == .incomplete)
    }

    @Test("A status cut off anywhere has to be read again, unless only white space is missing")
    func cutOffAnywhere() throws {
        let whole = CommandStatus(
            timestamp: CommandTimestamp(seconds: 1_700_000_005), code: .warnings, progress: 0.5,
            messages: ["[ä.epub] <b> & 😀", "two"]
        ).encoded()
        for count in 0..<whole.count - 1 {
            do {
                _ = try CommandStatus(decoding: Array(whole.prefix(count)))
                Issue.record("\(count) bytes of \(whole.count) were taken for the whole")
            } catch {
                #expect(error.isRetryable && error.code == .incomplete, "cut after \(count) bytes: \(error)")
            }
        }
        #expect(try CommandStatus(decoding: Array(whole.dropLast())).messages.count == 2)
    }

    @Test("A short status over the rest of a longer one is malformed, not half a success")
    func overwrittenInPlace() {
        #expect(failure("<status timestamp='1' code='0'></status>ssage></messages></status>") == .malformed)
    }

    @Test(
        "A well-formed file that is not a status is distinguished",
        arguments: [
            ("<state/>", CommandReadError.Code.unexpectedRoot), ("<status/>", .missingValue),
            ("<status code='soon'/>", .missingValue), ("plain text", .malformed),
            ("<status code='0'>&nbsp;</status>", .malformed),
        ])
    func noStatus(text: String, code: CommandReadError.Code) {
        #expect(failure(text) == code)
    }

    @Test(
        "A connection file may leave everything out but its state",
        arguments: [
            ("<connection><state> ONLINE\n</state></connection>", ConnectionStatus.State.online),
            ("<connection timestamp='1'><state>offline</state></connection>", .offline),
            ("<connection timestamp='1'><state>dozing</state></connection>", .offline),
        ])
    func connection(text: String, state: ConnectionStatus.State) throws {
        let read = try ConnectionStatus(decoding: Array(text.utf8))
        #expect(read.state == state)
        #expect(read.hasPassword == nil)
        #expect(read.appVersion == nil)
    }

    @Test("A connection file without a state, or of another kind, is an error")
    func noConnection() {
        #expect(throws: CommandReadError.self) { try ConnectionStatus(decoding: Array("<connection/>".utf8)) }
        #expect(throws: CommandReadError.self) {
            try ConnectionStatus(decoding: Array("<status code='0'/>".utf8))
        }
    }

    @Test("The original host's habits are understood: the word None, unpadded years, entities once escaped")
    func originalHost() throws {
        let file = """
            <updatemetadata timestamp='1' cleanupcollections='yes'><manifest><book author='A' filename='f' pubdate='476-09-04' \
            uuid='None' title='None' rating='7' seriesindex='x' locked='maybe' wordcount='many'/></manifest></updatemetadata>
            """
        guard case .updateMetadata(let command) = try Command(decoding: Array(file.utf8)),
            let book = command.books.first
        else {
            Issue.record("another command was read")
            return
        }
        #expect(book.uuid == "")
        #expect(book.title == "None")
        #expect(book.publicationDate?.description == "0476-09-04")
        #expect(book.rating == nil)
        #expect(book.seriesIndex == nil)
        #expect(book.isLocked == nil)
        #expect(book.wordCount == nil)
        #expect(book.collections == nil)
        #expect(book.subjects == nil)
        #expect(book.description == nil)
    }

    @Test("An embedded cover may be broken into lines; one that is not base 64 is left out")
    func coverText() throws {
        let file = """
            <uploadbooks timestamp='1' overwrite='no'><manifest><book filename='a'><cover hash='h' encoding='base64'>
            /9j/
            4AAQ
            </cover></book><book filename='b'><cover hash='h'>?!</cover></book></manifest></uploadbooks>
            """
        guard case .uploadBooks(let command) = try Command(decoding: Array(file.utf8)) else {
            Issue.record("another command was read")
            return
        }
        #expect(command.books.map { $0.cover?.data } == [[0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10], nil])
    }
}
