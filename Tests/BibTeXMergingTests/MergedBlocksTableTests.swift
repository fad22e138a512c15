import FoundationEssentials
import BibTeX
import BibTeXMerging
import Testing

@Suite("Blocks beside the entries are merged")
struct MergedBlocksTableTests {
    @Test("If both sides changed a macro, fields that the device left unchanged keep the host's value")
    func unchangedMacroNames() {
        let base = "@string{m = {O}}\n@a{k, journal = m, t = {1}}\n@a{l, t = {1}}\n"
        let host = base.replacing("{O}", with: "{H}")
        let device = base.replacing("{O}", with: "{D}").replacing(
            "l, t = {1}", with: "l, t = {1}, journal = m")
        let merged = Merged(base, host, device)
        #expect(merged.fields("k") == ["journal=m", "t={1}"])
        #expect(merged.fields("l") == ["t={1}", "journal=m-conflict"])
        #expect(merged.text.contains("m = {H}") && merged.text.contains("m-conflict = {D}"))
    }

    @Test("A macro that the host's file uses but does not define is left as it is")
    func undefinedMacro() {
        let base = "@string{m = {x}}\n@a{k, t = m}\n@a{l, t = {1}}\n"
        for host in [
            base.replacing("@string{m = {x}}", with: "@string{m = {x}\"}"),
            base.replacing("@string{m = {x}}\n", with: ""),
        ] {
            #expect(Merged(base, host, base).text == host)
        }
        for k in ["{x}", "m"] {
            let host = base.replacing("@string{m = {x}}\n@a{k, t = m}", with: "@a{k, t = \(k)}")
            let used = Merged(base, host, base.replacing("t = {1}", with: "t = m"))
            #expect(used.text.contains("m = {x}") && used.fields("l") == ["t=m"])
        }
    }

    @Test("A second block of notes on the document is merged as a whole")
    func secondInfo() {
        let one = "@bibdesk_info{document_info,\n\ta = {1}\n}\n"
        let two = "@bibdesk_info{document_info,\n\tb = {2}\n}\n"
        let base = one + "\n@a{k, t = {1}}\n"
        let merged = Merged(base, base.replacing("{1}}", with: "{2}}"), base + "\n" + two)
        #expect(merged.text.contains("b = {2}") && merged.text.contains("a = {1}"))
        let changed = Merged(
            base + two, (base + two).replacing("{1}}", with: "{2}}"),
            (base + two).replacing("{2}", with: "{3}"))
        #expect(changed.text.contains("b = {3}") && !changed.text.contains("b = {2}"))
    }

    @Test("Comments before the device's first entry and before its new macros come to the host")
    func commentsOfNewBlocks() {
        let base = "% head\n\n@a{k, t = {1}}\n\n@a{l, t = {1}}\n"
        let host = base.replacing("l, t = {1}", with: "l, t = {2}")
        let entry = Merged(base, host, base.replacing("% head\n", with: "% head\n\n% mine\n@a{n, t = {3}}\n"))
        #expect(entry.text.contains("% mine\n@a{n, t = {3}}") && entry.text.contains("l, t = {2}"))
        #expect(entry.text.components(separatedBy: "% head").count == 2)
        let macro = Merged(
            base, host, base.replacing("@a{l", with: "% names\n@string{m = {x}, n = {y}}\n\n@a{l"))
        #expect(macro.text.components(separatedBy: "% names\n@string{m").count == 2)
        #expect(macro.text.components(separatedBy: "% names").count == 2)
    }

    @Test("The header of a file is not doubled when its first block comes or stays alone")
    func headers() {
        let base = "% head\n@comment{c}\n\n@a{k, t = {1}}\n"
        let held = BibTeXMerge(
            base: library(base), host: library("% head\n\n@a{k, t = {1}}\n"),
            device: library("% head\n@comment{c}\n"), deletes: false)
        for document in [held.document, held.agreed, held.deviceDocument] {
            #expect(
                String(decoding: document.bytes, as: UTF8.self).components(separatedBy: "% head").count == 2)
        }
        let new = Merged(
            base, base.replacing("{1}", with: "{2}"),
            base.replacing("% head\n", with: "% head\n@comment{n}\n"))
        #expect(new.text.contains("@comment{n}") && new.text.components(separatedBy: "% head").count == 2)
    }

    @Test("Other values of a static group stay")
    func notesOfGroups() {
        func text(_ keys: String, _ color: String) -> String {
            "@a{a, t = {1}}\n@comment{BibDesk Static Groups{\n<plist version=\"1.0\"><array><dict><key>color</key><string>\(color)"
                + "</string><key>group name</key><string>G</string><key>keys</key><string>\(keys)</string></dict>"
                + "</array></plist>\n}}\n"
        }
        let merged = Merged(text("a,b", "red"), text("a,b,c", "red"), text("a,b,d", "blue"))
        #expect(merged.groups == ["G: a b c d"] && merged.text.contains("blue"))
        let both = Merged(text("a", "red"), text("a,c", "green"), text("a", "blue"))
        #expect(both.text.contains("green") && both.conflicts == [.group("G")])
    }

    @Test("Groups of one kind in two blocks are merged, each in its block")
    func twoBlocks() {
        func file(_ first: String, _ second: String) -> String {
            "@a{a,}\n@a{b,}\n@a{c,}\n" + GroupText.fixed([("G", first)]) + GroupText.fixed([("H", second)])
        }
        let old = file("a", "b")
        let onDevice = Merged(old, old, file("a", "b,c"))
        #expect(onDevice.text == file("a", "b,c"))
        #expect(onDevice.conflicts == [])
        let both = Merged(old, file("a,b", "b"), file("a", "b,c"))
        #expect(both.merge.document.groups.map(\.keys) == [["a", "b"], ["b", "c"]])
        let new = Merged(old, old, old + GroupText.fixed([("I", "c")]))
        #expect(Set(new.merge.document.groups.map(\.name)) == ["G", "H", "I"])
    }

    @Test(
        "A changed macro is taken over; if both sides changed it, the device's gets a new name that its fields use"
    )
    func macros() {
        let old = "@string{m = {1}}\n@a{k, x = m, y = m}\n"
        #expect(Merged(old, old, old.replacing("{1}", with: "{2}")).text == old.replacing("{1}", with: "{2}"))
        let merged = Merged(
            old, old.replacing("{1}", with: "{2}"),
            old.replacing("{1}", with: "{3}").replacing("y = m", with: "y = m # { x}") + "@a{n, z = m}\n")
        #expect(merged.text.contains("@string{m = {2}}") && merged.text.contains("@string{m-conflict = {3}}"))
        #expect(merged.fields("n") == ["z=m-conflict"])
        #expect(merged.fields("k").contains("y=m-conflict # { x}"))
        #expect(merged.conflicts.contains(.macro("m")))
        // A macro in use is not removed.
        let used = Merged(old, old, "@a{k, x = {1}, y = m}\n")
        #expect(used.text.contains("@string{m"))
        #expect(!Merged(old, old, "@a{k, x = {1}, y = {1}}\n").text.contains("@string"))
        #expect(Merged(old, old, "@string{n = {9}}\n" + old).text.contains("@string{n = {9}}"))
    }

    @Test("A new macro stands before the macros that use it")
    func order() {
        let old = "@string{j = {J}}\n\n@a{k, x = j}\n"
        let device = "@string{n = {N}}\n\n@string{j = n # { x}}\n\n@a{k, x = j}\n"
        let merged = Merged(old, old.replacing("x = j", with: "x = j, y = 1"), device)
        let names = merged.merge.document.blocks.filter { $0.kind == .string }.flatMap { block in
            block.fields.map(block.name)
        }
        #expect(names == ["n", "j"] && merged.fields("k") == ["x=j", "y=1"])
        // Existing macros move, and the file's header stays in place. A circle ends.
        let both = "% head\n\n@string{a = {1}}\n\n@string{b = {2}}\n\n@a{k, x = a}\n"
        let moved = Merged(both, both + "@a{l,}\n", both.replacing("{1}", with: "b # {1}"))
        #expect(moved.text.hasPrefix("% head\n\n@string{b = {2}}\n\n@string{a = b # {1}}"), "\(moved.text)")
        let circle = Merged(
            both, both + "@a{l,}\n", both.replacing("{1}", with: "b").replacing("{2}", with: "a"))
        #expect(circle.text.contains("@string{a = b}") && circle.text.contains("@string{b = a}"))
    }

    @Test("A comment stays before its entry when the device puts a macro between the two")
    func macroBehindComment() {
        let old = "@a{k, x = 1}\n\n% remark\n@a{l, x = 1}\n\n@a{m, x = 1}\n"
        let device = old.replacing("@a{l", with: "@string{n = {N}}\n\n@a{l")
        let merged = Merged(old, old.replacing("@a{m, x = 1}", with: "@a{m, x = 2}"), device)
        #expect(merged.text.contains("% remark\n@a{l") && merged.text.contains("@string{n = {N}}"))
    }

    @Test("A new first block leaves the header of the file where it is")
    func firstBlock() {
        let head = "%% Saved with string encoding Western (ISO Latin 1) \n\n"
        let old = head + "@a{k, x = 1}\n\n@a{l, x = 1}\n"
        let merged = Merged(
            old, old.replacing("l, x = 1", with: "l, x = 2"),
            old.replacing("@a{k", with: "@string{n = {N}}\n\n@a{k"))
        #expect(merged.text.hasPrefix(head + "@string{n = {N}}\n\n@a{k"), "\(merged.text)")
        for alone in [head, head + GroupText.fixed([("G", "k")])] {
            var document = library(alone)
            document.add(Array("@a{k,}".utf8))
            let text = String(decoding: document.bytes, as: UTF8.self)
            #expect(
                text.hasPrefix(head) && text.contains("\n@a{k,}\n")
                    && document.groups == library(alone).groups)
        }
    }

    @Test("The text of a removed block keeps its letters in a file of one byte for each")
    func removedInLatin1() {
        let group = GroupText.fixed([("Ü", "k")])
        let bytes =
            Array("@a{k,}\n\n% ".utf8) + [0xFC] + Array("ber\n@a{l,}\n".utf8) + Array(group.utf8)
        var document = BibTeXDocument(bytes, fallback: .latin1)
        document.remove(1)
        #expect(document.inUTF8().problemsForApp() == [] && document.groups.map(\.name) == ["Ü"])
        #expect(String(decoding: document.inUTF8().bytes, as: UTF8.self).contains("% über"))
        var last = BibTeXDocument(Array(bytes.dropLast(group.utf8.count)), fallback: .latin1)
        last.remove(1)
        #expect(last.bytes == Array("@a{k,}\n\n% ".utf8) + [0xFC] + Array("ber\n\n".utf8))
    }

    @Test("Entries with one key that the host deleted stay on the device, unless deletions are synced")
    func ambiguousDeletions() {
        let old = ["One", "Two", "Three", "Four"].map { "@a{k, title = {\($0)}}\n" }.joined()
        let host = "@a{k, title = {One edited}}\n"
        for deletes in [false, true] {
            let merge = BibTeXMerge(
                base: library(old), host: library(host), device: library(old), deletes: deletes)
            #expect(merge.document.bytes == library(host).bytes)
            #expect(merge.report.heldBack.count == (deletes ? 0 : 4))
            #expect(merge.report.tombstones.count == (deletes ? 4 : 0))
            #expect(merge.deviceDocument.entryIndexes.count == (deletes ? 1 : 5))
            let twin = BibTeXMerge(
                base: library(old), host: library(old), device: library(host), deletes: deletes)
            #expect(twin.document.entryIndexes.count == (deletes ? 1 : 5))
            #expect(twin.deviceDocument.entryIndexes.count == 1)
        }
        // An entry that keeps a value was changed.
        let two = "@a{k, title = {One}, x = 1}\n@a{k, title = {Two}, x = 2}\n"
        let edited = "@a{k, title = {One}, x = 3}\n@a{k, title = {Twice}, x = 2}\n"
        let merge = BibTeXMerge(
            base: library(two), host: library(edited), device: library(two), deletes: false)
        #expect(merge.report.heldBack == [] && merge.deviceDocument.bytes == library(edited).bytes)
    }

    @Test("Members of static groups are merged as sets, and a change beats a deletion")
    func staticGroups() {
        func groups(_ groups: (String, String)...) -> String { "@a{k,}\n" + GroupText.fixed(groups) }
        #expect(
            Merged(groups(("G", "a,b,c")), groups(("G", "b,a,c,h")), groups(("G", "a,c,d"))).groups == [
                "G: a c h d"
            ])
        #expect(Merged(groups(("G", "a")), groups(("G", "a")), groups()).groups == [])
        #expect(Merged(groups(("G", "a")), groups(("G", "a,b")), groups()).groups == ["G: a b"])
        #expect(Merged(groups(("G", "a")), groups(), groups(("G", "a,b"))).groups == ["G: a b"])
        // A renamed group counts as one deleted and one added group.
        #expect(
            Merged(groups(("G", "a")), groups(("G", "a,b")), groups(("R", "a"))).groups == ["G: a b", "R: a"])
        #expect(Merged(groups(("G", "a")), groups(("G", "a")), groups(("R", "a"))).groups == ["R: a"])
        #expect(
            Merged(groups(("G", "a")), groups(("G", "a"), ("H", "h")), groups(("G", "a"), ("D", "d"))).groups
                == ["G: a", "H: h", "D: d"])
    }

    @Test(
        "Other groups are one value each; if both sides changed one, both stay and the host's keeps its name")
    func otherGroups() {
        func groups(_ url: String) -> String { "@a{k,}\n" + GroupText.url([("G", url)]) }
        #expect(Merged(groups("1"), groups("1"), groups("2")).merge.document.groups.map(\.url) == ["2"])
        let both = Merged(groups("1"), groups("2"), groups("3")).merge.document.groups
        #expect(both.map(\.name) == ["G", "G (conflict)"] && both.map(\.url) == ["2", "3"])
    }

    @Test(
        "Of a smart or script group that both sides changed the host's keeps its place, and the other stays"
    )
    func changedConditions() {
        func library(_ smart: String, _ script: String) -> String {
            "@a{k,}\n" + GroupText.smart([("A", "x"), ("S", smart), ("Z", "z")])
                + GroupText.script([("A", "/a"), ("P", script), ("Z", "/z")])
        }
        let merged = Merged(library("old", "/old"), library("host", "/host"), library("device", "/device"))
        let groups = merged.merge.document.groups
        let smart = groups.filter { $0.kind == .smart }
        #expect(smart.map(\.name) == ["A", "S", "Z", "S (conflict)"])
        #expect(smart.map { $0.conditions.map(\.value) } == [["x"], ["host"], ["z"], ["device"]])
        let scripts = groups.filter { $0.kind == .script }
        #expect(scripts.map(\.name) == ["A", "P", "Z", "P (conflict)"])
        #expect(scripts.map(\.scriptPath) == ["/a", "/host", "/z", "/device"])
        #expect(merged.conflicts == [.group("S"), .group("P")])
        // A change on only one side is taken in place.
        let one = Merged(library("old", "/old"), library("old", "/host"), library("device", "/old"))
        #expect(one.merge.document.groups.map(\.name) == ["A", "S", "Z", "A", "P", "Z"])
        #expect(one.conflicts == [] && one.text.contains("device") && one.text.contains("/host"))
    }

    @Test("Notes on the document are merged key by key; preambles and comments are whole")
    func others() {
        func info(_ text: String) -> String { "@bibdesk_info{document_info,\n\t\(text)\n}\n@a{k,}\n" }
        let merged = Merged(
            info("a = {1},\n\tb = {1}"), info("a = {2},\n\tb = {1}"), info("a = {3},\n\tb = {4}"))
        #expect(merged.text == info("a = {2},\n\tb = {4},\n\ta-conflict-1 = {3}"))
        #expect(merged.conflicts == [.info("a")])
        func comments(_ first: String, _ second: String) -> String {
            "@preamble{\"\(first)\"}\n\n@comment{\(second)}\n\n@a{k,}\n"
        }
        #expect(Merged(comments("1", "2"), comments("1", "2"), comments("3", "4")).text == comments("3", "4"))
        let both = Merged(comments("1", "2"), comments("1", "h"), comments("3", "d"))
        #expect(both.text.contains("@preamble{\"3\"}") && !both.text.contains("@preamble{\"1\"}"))
        #expect(both.text.contains("@comment{h}") && both.text.contains("@comment{d}"))
        #expect(both.conflicts == [.comment])
    }

    @Test("A block that cannot be read is compared as a whole, and nothing in it is merged")
    func damaged() {
        let old = "@a{k, x = {1}}\n@a{l,}\n"
        let broken = "@a{k, x = }\n@a{l,}\n"
        #expect(Merged(old, old, broken).text == broken)
        #expect(Merged(old, broken, old).text == broken)
        let both = Merged(old, broken, old.replacing("{1}", with: "{2}"))
        #expect(
            both.text.contains("x = }") && both.text.contains("x = {2}") && both.conflicts == [.damagedBlock])
        #expect(Merged(broken, broken, broken).text == broken)
    }
}
