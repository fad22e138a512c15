/// Stores a large, often missing value outside its owner, so that long lists of owners stay small.
///
/// ```swift
/// struct Finding {
///     @Boxed var book: Book?
/// }
/// ```
@propertyWrapper
package struct Boxed<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    /// Creates a box with a value, or without one.
    package init(wrappedValue: Value? = nil) { box = wrappedValue.map(Box.init) }

    /// The value.
    package var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }
}

extension Boxed: Equatable where Value: Equatable {
    /// Whether both boxes have equal values, or both have none.
    package static func == (one: Boxed, other: Boxed) -> Bool {
        one.box === other.box || one.wrappedValue == other.wrappedValue
    }
}

extension Boxed: Hashable where Value: Hashable {
    /// Feeds the value to a hasher.
    package func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
