import Foundation
import OverlayABI
import TestSupport
import Testing

/// The table of signatures as Swift values.
private struct Signatures {
    static var records: [ovl_sig_record] {
        var count: UInt32 = 0
        let records = ovl_signatures_v1(&count)
        return (0..<Int(count)).map { records[$0].pointee }
    }

    static func fields(_ record: ovl_sig_record) -> [ovl_sig_field] {
        Array(UnsafeBufferPointer(start: record.fields, count: Int(record.field_count)))
    }

    static func functions(_ record: ovl_sig_record) -> [ovl_sig_function] {
        fields(record).compactMap { $0.function?.pointee }
    }

    static func args(_ function: ovl_sig_function) -> [ovl_sig_arg] {
        Array(UnsafeBufferPointer(start: function.args, count: Int(function.arg_count)))
    }
}

@Suite("The table of signatures matches the headers")
struct SignatureTests {
    @Test(
        "Kinds, records, offsets and sizes match those that a C++ compiler deduces", arguments: Compiler.cpp)
    func deduced(_ compiler: Compiler) throws {
        let folder = try TemporaryFolder()
        let sources = try FileManager.default.contentsOfDirectory(atPath: SourceTree.abi.path)
            .filter { $0.hasSuffix(".c") && $0.contains("signatures") }
        var objects: [String] = []
        for source in sources {
            let object = folder.path(source + ".o")
            try compiler.forC.run(["-c", SourceTree.abi.appendingPathComponent(source).path, "-o", object])
            objects.append(object)
        }
        let program = folder.path("signatures")
        let check = SourceTree.fixtures.appendingPathComponent("signatures.cpp").path
        try compiler.run([check] + objects + ["-o", program])
        let result = try runProgram(program)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("65 records"))
    }

    @Test("Every function of the headers is in the table, with the names and nullability of its arguments")
    func arguments() throws {
        var written = try HeaderText.contract().functions[...]
        for record in Signatures.records {
            for function in Signatures.functions(record) {
                let next = written.popFirst()
                let header = try #require(next)
                let where_ = "\(header.table).\(header.name)"
                #expect(String(cString: record.name) == header.table)
                #expect(String(cString: function.name) == header.name)
                let args = Signatures.args(function)
                #expect(args.map { String(cString: $0.name) } == header.parameters.map(\.name), "\(where_)")
                for (arg, parameter) in zip(args, header.parameters) {
                    #expect(
                        (arg.nullable == 1) == (parameter.nullable ?? false), "\(where_)(\(parameter.name))")
                }
            }
        }
        #expect(written.isEmpty)
    }

    @Test("The comment of a method names the states and the purity the table has")
    func methodTags() throws {
        let names = [
            "created": OVL_STATE_CREATED, "initialized": OVL_STATE_INITIALIZED,
            "attached": OVL_STATE_ATTACHED,
            "yanked": OVL_STATE_YANKED, "ejected": OVL_STATE_EJECTED, "shut down": OVL_STATE_SHUT_DOWN,
        ]
        let comments = try comments()
        let record = try #require(Signatures.records.first { String(cString: $0.name) == "ovl_methods" })
        #expect(Signatures.functions(record).count == 20)
        for function in Signatures.functions(record) {
            let name = String(cString: function.name)
            // The methods for Windows are documented by reference to the others.
            let comment = try #require(comments["ovl_methods.\(name.replacing("_windows", with: ""))"])
            let braces = try #require(comment.firstMatch(of: #/\{([^}]*)\}/#), "\(name)")
            var states: UInt32 = 0
            for word in braces.1.split(separator: ",") {
                states |= try #require(names[word.trimmingCharacters(in: .whitespaces)], "\(name)")
            }
            #expect(function.states == states, "\(name)")
            #expect((function.flags & OVL_SIG_PURE != 0) == comment.contains("Pure."), "\(name)")
            #expect(function.thread == OVL_THREAD_DEVICE, "\(name)")
        }
    }

    @Test("The comment of a service function names its thread")
    func serviceTags() throws {
        let comments = try comments()
        let whole = try HeaderText.contract().records.reduce(into: [:]) { $0[$1.name] = $1.comment }
        for record in Signatures.records where record.service != nil {
            let table = String(cString: record.name)
            for function in Signatures.functions(record) {
                let name = "\(table).\(String(cString: function.name))"
                // The transport declares once for all its functions that they are [device].
                let comment = (comments[name] ?? "") + (whole[table] ?? "")
                #expect(comment.contains("[any]") == (function.thread == OVL_THREAD_ANY), "\(name)")
                #expect(comment.contains("[device]") == (function.thread == OVL_THREAD_DEVICE), "\(name)")
                let touches = table == "ovl_transport_service"
                #expect((function.flags & OVL_SIG_TOUCHES_DEVICE != 0) == touches, "\(name)")
                if touches {
                    #expect(function.states == OVL_STATE_INITIALIZED | OVL_STATE_ATTACHED, "\(name)")
                }
            }
        }
    }

    @Test("The comment of a function names the record of each list it takes")
    func lists() throws {
        let comments = try comments()
        for record in Signatures.records {
            for function in Signatures.functions(record) {
                for arg in Signatures.args(function) where arg.kind == OVL_KIND_LIST {
                    let name = "\(String(cString: record.name)).\(String(cString: function.name))"
                    let comment = try #require(comments[name.replacing("_windows", with: "")])
                    let element = try #require(arg.record).pointee.name
                    #expect(comment.contains(String(cString: element)), "\(name)")
                }
            }
        }
    }

    @Test("Sinks have one function, put, which is called on the thread of its call")
    func sinks() {
        let sinks = Signatures.records.filter { String(cString: $0.name).hasSuffix("_sink") }
        #expect(sinks.count == 18)
        for sink in sinks {
            let functions = Signatures.functions(sink)
            #expect(functions.map { String(cString: $0.name) } == ["put"])
            #expect(functions.first?.thread == OVL_THREAD_CALLER)
            #expect(functions.first?.states == 0)
        }
    }

    @Test("A field whose flag must be set has a bit that its header defines for it")
    func flags() throws {
        let constants = try HeaderText.contract().constants
        var bits = 0
        for record in Signatures.records {
            for field in Signatures.fields(record) where field.flag != 0 {
                bits += 1
                let name = String(cString: field.name).uppercased()
                let constant = constants.first {
                    $0.name.hasSuffix("_HAS_\(name)")
                        || ($0.name == "OVL_OPTION_HAS_RANGE" && $0.value == "\(field.flag)u")
                }
                #expect(constant?.value == "\(field.flag)u", "\(String(cString: record.name)).\(name)")
            }
        }
        #expect(bits == 11)
    }

    @Test("The tables of services have the ids that the header defines")
    func services() throws {
        let carried = Signatures.records.compactMap { $0.service.map { String(cString: $0) } }
        #expect(
            carried == [
                OVL_SERVICE_LOG, OVL_SERVICE_PREFS, OVL_SERVICE_PROGRESS, OVL_SERVICE_CANCEL,
                OVL_SERVICE_TRANSPORT, OVL_SERVICE_STORAGE, OVL_SERVICE_CALLS, OVL_SERVICE_SNIFF,
                OVL_SERVICE_FETCH, OVL_SERVICE_METADATA, OVL_SERVICE_SOURCE,
            ])
    }

    private func comments() throws -> [String: String] {
        try HeaderText.contract().functions.reduce(into: [:]) { $0["\($1.table).\($1.name)"] = $1.comment }
    }
}
