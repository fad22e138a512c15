/// The arguments of a call by the host: numbers, and pointers to copies of records that exist as long as this object.
///
/// ```swift
/// let arguments = CallArguments()
/// arguments.add(pointerTo: options)
/// arguments.add(pointerTo: sink)
/// ```
package final class CallArguments {
    private let words: UnsafeMutablePointer<UInt>
    private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var copies: [UnsafeMutableRawPointer] = []
    private var count = 0
    /// The largest number of arguments in a plan.
    private static let most = 16

    /// Creates an empty list of arguments.
    package init() {
        words = .allocate(capacity: Self.most)
        words.initialize(repeating: 0, count: Self.most)
        addresses = .allocate(capacity: Self.most)
        addresses.initialize(repeating: nil, count: Self.most)
    }

    deinit {
        for copy in copies { copy.deallocate() }
        words.deallocate()
        addresses.deallocate()
    }

    /// The addresses of the arguments, valid as long as this object.
    package var values: UnsafeMutablePointer<UnsafeMutableRawPointer?> { addresses }

    /// Appends a number, or a pointer as a number.
    package func add(_ word: UInt) {
        guard count < Self.most else { return }
        words[count] = word
        addresses[count] = UnsafeMutableRawPointer(words + count)
        count += 1
    }

    /// Appends a pointer to a copy of a value, and returns it.
    @discardableResult
    package func add<Value: BitwiseCopyable>(pointerTo value: Value) -> UnsafeMutablePointer<Value> {
        let copy = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        copy.initialize(to: value)
        copies.append(UnsafeMutableRawPointer(copy))
        add(UInt(bitPattern: copy))
        return copy
    }
}
