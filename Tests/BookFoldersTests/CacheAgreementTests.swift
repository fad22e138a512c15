import BookFolders
import OverlayKitTesting
import OverlayKit
import Testing

@Suite("A listing with the cache equals one without it")
struct CacheAgreementTests {
    /// Random numbers with a seed.
    private struct Dice {
        var state: UInt64
        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }
    }

    @Test(
        "The cache agrees with the device after anything is added, changed, moved, copied, swapped or removed",
        arguments: 1...12)
    func agreement(seed: Int) throws {
        let bench = ShelfBench()
        let host = bench.host
        var dice = Dice(state: UInt64(seed))
        func anyPath() -> String {
            let names = ["a.epub", "A.epub", "b.pdf", "c", "d.xyz", "e.txt"]
            let folders = ["", "X/", "X/Y/", "Z/"]
            return folders[dice.roll(folders.count)] + names[dice.roll(names.count)]
        }
        func anyContent() -> String {
            let heads = ["", "%PDF\n", "EPUB\n", "BROKEN\n"]
            let titles = ["a", "A", "c", nil, "Title 1", "Title 2"]
            return heads[dice.roll(heads.count)]
                + bookText(titles[dice.roll(titles.count)], ["Author \(dice.roll(3))"])
        }
        for step in 0..<60 {
            let there = host.documents
            let one = there.isEmpty ? nil : there[dice.roll(there.count)]
            switch dice.roll(6) {
            case 0, 1: host.put(anyPath(), anyContent())
            case 2:
                if let one { host.files["/Documents/" + one] = nil }
            case 3:
                if let one { host.move(one, to: anyPath()) }
            case 4:
                // A copy that keeps the time, as some apps make it.
                if let one, let file = host.files["/Documents/" + one] {
                    let path = anyPath()
                    host.put(path, "")
                    host.files["/Documents/" + path] = file
                }
            default:
                if let one, let file = host.files["/Documents/" + one] {
                    let other = there[dice.roll(there.count)]
                    host.files["/Documents/" + one] = host.files["/Documents/" + other]
                    host.files["/Documents/" + other] = file
                }
            }
            let cached = try bench.books(covers: step % 7 == 0)
            let kept = host.stored
            bench.options.keepsMetadata = false
            let fresh = try bench.books(covers: step % 7 == 0)
            bench.options.keepsMetadata = true
            #expect(host.stored == kept)
            #expect(cached == fresh, "seed \(seed), step \(step)")
        }
    }
}
