import Foundation
import SimulatedDevice
import TestSupport
import Testing

@Suite("serve survives clients that write nonsense")
struct ServeHostileTests {
    @Test(
        "A line that is not a request is answered with its error, and the next one is served",
        arguments: [
            ("nonsense", -32700), ("{\"jsonrpc\": \"2.0\", \"id\": 1", -32700), ("\u{0}\u{1}", -32700),
            ("  ", -32700),
            (String(repeating: "[", count: 1000), -32700), ("{\"a\": 1, \"a\": 2}", -32700),
            ("[]", -32600), ("17", -32600), ("\"text\"", -32600), ("{}", -32600), ("null", -32600),
            ("[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"devices\"}]", -32600),
            ("{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"devices\"}", -32600),
            ("{\"jsonrpc\": \"2.0\", \"id\": 1}", -32600),
            ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 5}", -32600),
            ("{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"devices\"}", -32600),
            ("{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"devices\"}", -32600),
            ("{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"devices\"}", -32600),
            ("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"devices\", \"params\": [1]}", -32602),
        ])
    func nonsense(line: String, number: Int) throws {
        let client = try ServeClient(ReaderBench())
        let before = try client.messages().count
        client.raw(line)
        #expect(try client.call("prefs.get", ["key": "preferred_reader_app"])["key"] is String)
        let answer = try #require(try client.messages().dropFirst(before).first)
        #expect((answer["error"] as? [String: Any])?["code"] as? Int == number, "\(answer)")
    }

    @Test("Parameters that are not an object are refused as parameters", arguments: ["[]", "null", "17"])
    func parameterKinds(parameters: String) throws {
        let client = try ServeClient(ReaderBench())
        let before = try client.messages().count
        client.raw("{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": \"devices\", \"params\": \(parameters)}")
        #expect(try client.call("prefs.get", ["key": "preferred_reader_app"])["key"] is String)
        let answer = try #require(try client.messages().dropFirst(before).first)
        let error = try #require(answer["error"] as? [String: Any])
        #expect(error["code"] as? Int == -32602 && answer["id"] as? Int == 9)
    }

    @Test("More requests than usbmuxd takes at once are all answered")
    func manyAtOnce() throws {
        let client = try ServeClient(ReaderBench())
        for number in 0..<200 {
            client.raw("{\"jsonrpc\": \"2.0\", \"id\": \"many \(number)\", \"method\": \"devices\"}")
        }
        try waitUntil {
            let answers = try client.messages().filter { ($0["id"] as? String)?.hasPrefix("many") == true }
            return answers.count == 200
        }
        let answers = try client.messages().filter { ($0["id"] as? String)?.hasPrefix("many") == true }
        let problems = answers.filter { answer in
            let devices = (answer["result"] as? [String: Any])?["devices"] as? [[String: Any]]
            return devices?.count != 1 || devices?.contains { !($0["problem"] is NSNull?) } == true
        }
        #expect(problems.isEmpty, "\(problems.prefix(2))")
    }

    @Test("More UDIDs than usbmuxd takes at once are all looked for")
    func manyUDIDs() throws {
        let client = try ServeClient(ReaderBench())
        let ids = try (0..<200).map { _ in
            try client.send("detect", ["device": "\(randomUDID()),\(randomUDID())"])
        }
        for id in ids { #expect(try client.result(id).rows("readers").isEmpty) }
    }

    @Test("A request that names too many devices is refused")
    func tooManyDevices() throws {
        let client = try ServeClient(ReaderBench())
        func detect(_ count: Int) -> [String: Any] {
            ["device": (0..<count).map { _ in randomUDID() }.joined(separator: ",")]
        }
        #expect(try client.call("detect", detect(64)).rows("readers").isEmpty)
        let error = try client.failure("detect", detect(65))
        #expect(error == ServeError(number: -32602, code: "invalid_argument", subject: "device"))
    }

    @Test("A wrong parameter is refused also without a device")
    func parametersWithoutDevice() throws {
        let bench = try ReaderBench()
        bench.daemon.detach(bench.device)
        let client = try ServeClient(bench)
        let wrong: [(String, [String: Any], String)] = [
            ("detect", ["app": 5], "app"), ("detect", ["app": 5, "device": randomUDID()], "app"),
            ("open", ["wait": -1], "wait"), ("detect", ["device": 5], "device"),
        ]
        for (method, parameters, subject) in wrong {
            let error = try client.failure(method, parameters, isValid: false)
            #expect(
                error == ServeError(number: -32602, code: "invalid_argument", subject: subject), "\(method)")
        }
    }

    @Test("A line that is too long is answered once, and not kept")
    func longLine() throws {
        let client = try ServeClient(ReaderBench())
        client.raw(String(repeating: "a", count: 40 << 20))
        #expect(try client.call("prefs.get", ["key": "preferred_reader_app"])["key"] is String)
        let errors = try client.messages().filter { $0["error"] != nil }
        #expect(errors.count == 1 && errors[0]["id"] is NSNull)
        let message = (errors.first?["error"] as? [String: Any])?["message"] as? String
        #expect(message == "The line is longer than 32 MiB.")
    }

    @Test("Empty lines and notifications of unknown methods are passed over")
    func passedOver() throws {
        let client = try ServeClient(ReaderBench())
        let before = try client.messages().count
        client.raw("")
        client.raw("\r")
        client.raw("{\"jsonrpc\": \"2.0\", \"method\": \"nonsense\"}")
        client.raw("{\"jsonrpc\": \"2.0\", \"method\": \"$/cancelRequest\", \"params\": {\"id\": {}}}")
        _ = try client.call("prefs.get", ["key": "preferred_reader_app"])
        #expect(try client.messages().count == before + 1)
    }

    @Test("A wrong parameter is refused by its name")
    func parameters() throws {
        let client = try ServeClient(ReaderBench())
        let session = try client.open("Marvin")
        let wrong: [(String, [String: Any], String)] = [
            ("books", ["session": 1], "session"), ("books", [:], "session"),
            ("books", ["session": session, "sinse": "x"], "sinse"),
            ("books", ["session": session, "covers": "yes"], "covers"),
            ("upload", ["session": session, "books": ["x"]], "books[0]"),
            ("upload", ["session": session, "books": [["file": "book.epub"]]], "books[0].file"),
            (
                "upload",
                ["session": session, "books": [["file": "/b.epub", "metadata": ["rating": 9]]]],
                "books[0].metadata.rating"
            ),
            (
                "upload",
                ["session": session, "books": [["file": "/b.epub", "metadata": ["pubdate": "2024-02-30"]]]],
                "books[0].metadata.pubdate"
            ),
            ("$/cancelRequest", ["id": NSNull()], "id"),
            ("upload", ["session": session, "books": [["file": "/b.epub", "uuid": "x"]]], "books[0].uuid"),
            (
                "upload", ["session": session, "books": [["file": "/b.epub", "name": "../b.epub"]]],
                "books[0].name"
            ),
            ("upload", ["session": session, "books": [], "on_conflict": "skip"], "on_conflict"),
            (
                "update", ["session": session, "books": [["book": "/a", "changes": ["path": "x"]]]],
                "books[0].changes.path"
            ),
            ("get", ["session": session, "books": ["x"], "folder": "here"], "folder"),
            ("sync", ["session": session, "source": "/x", "prefer": "both"], "prefer"),
            ("sync", ["session": session, "source": "/x", "max_delete": -1], "max_delete"),
            ("open", ["wait": -1], "wait"), ("devices", ["x": 1], "x"),
        ]
        for (method, parameters, subject) in wrong {
            let error = try client.failure(method, parameters, isValid: false)
            #expect(
                error == ServeError(number: -32602, code: "invalid_argument", subject: subject), "\(method)")
        }
        #expect(try client.failure("nonsense", isValid: false).number == -32601)
        #expect(try client.failure("books", ["session": "s99"]).code == "session_unknown")
    }

    @Test("Before initialize nothing is served, a second one is refused, and so is another version")
    func greeting() throws {
        let client = try ServeClient(ReaderBench(), greeting: nil)
        #expect(try client.failure("devices").number == -32002)
        let id = try client.send("initialize", ["protocol_version": 2])
        #expect(try client.error(id).number == -32001)
        let error = try client.answer(id)["error"] as? [String: Any]
        #expect((error?["data"] as? [String: Any])?["supported"] as? [Int] == [1])
        #expect(try client.failure("initialize", isValid: false).number == -32602)
        _ = try client.call("initialize", ["protocol_version": 1, "log_level": "error"])
        #expect(try client.failure("initialize", ["protocol_version": 1]).number == -32002)
        #expect(try client.call("devices").rows("devices").count == 1)
    }

    @Test("Ids may be texts, one that is under way is refused, and too many requests are as well")
    func pending() throws {
        let bench = try ReaderBench(books: [RealBooks.history("en")])
        let client = try ServeClient(bench)
        let session = try client.open("Marvin")
        let (begun, end) = (Gate(), Gate())
        bench.device.onFileRequest { _ in
            begun.open()
            _ = end.wait()
            end.open()
        }
        func line(_ id: String) -> String {
            "{\"jsonrpc\": \"2.0\", \"id\": \(id), \"method\": \"space\", \"params\": {\"session\": \"\(session)\"}}"
        }
        client.raw(line("\"first\""))
        #expect(begun.wait())
        client.raw(line("\"first\""))
        _ = try client.message {
            $0["id"] as? String == "first" && ($0["error"] as? [String: Any])?["code"] as? Int == -32600
        }
        for number in 1...255 { client.raw(line("\"more \(number)\"")) }
        client.raw(line("\"too many\""))
        let refused = try client.message { $0["id"] as? String == "too many" }
        let data = (refused["error"] as? [String: Any])?["data"] as? [String: Any]
        #expect(data?["code"] as? String == "busy")
        bench.device.onFileRequest(nil)
        end.open()
        _ = try client.message { $0["id"] as? String == "more 255" && $0["result"] != nil }
        let answered = try client.messages().filter { $0["result"] != nil && $0["id"] is String }
        #expect(answered.count == 256)
    }
}
