/// Stores a large, often missing value outside its owner, so that long lists of owners stay small.
///
/// ```swift
/// struct Finding {
///     @Boxed var book: Book?
/// }
/// ```
@propertyWrapper
package struct Boxed<Value: Sendable>: Sendable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let value: Value
        @inlinable
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline var box: Box?

    /// Creates a box with a value, or without one.
    @inlinable
    package init(wrappedValue: Value? = nil) { box = wrappedValue.map { Box($0) } }

    /// The value.
    @inlinable
    package var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map { Box($0) } }
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
