import Platform
import Testing

@Suite("Sizes are printed for people")
struct ByteCountTests {
    @Test(
        "A size has the unit that keeps it short, and tenths only below ten",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1540, "1.5 kB"), (9949, "9.9 kB"), (9950, "10 kB"),
            (340_000, "340 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (2_000_000_000, "2.0 GB"),
            (UInt64.max, "18446744 TB"),
        ] as [(UInt64, String)])
    func text(bytes: UInt64, text: String) { #expect(ByteCount.text(bytes) == text) }
}
