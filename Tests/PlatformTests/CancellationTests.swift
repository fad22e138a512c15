import Glibc
import Platform
import Synchronization
import Testing

@Suite("A cancellation reaches everything that waits for it")
struct CancellationTests {
    private final class Count: Sendable {
        let value = Atomic(0)

        var number: Int { value.load(ordering: .relaxed) }

        func increment() { value.add(1, ordering: .relaxed) }
    }

    private func isReadable(_ descriptor: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }

    @Test("Each handler is called once, also one that comes late")
    func handlers() {
        let (early, late) = (Count(), Count())
        let cancellation = Cancellation()
        let first = cancellation.whenCancelled { early.increment() }
        #expect(early.number == 0 && !cancellation.isCancelled)
        cancellation.cancel()
        cancellation.cancel()
        let second = cancellation.whenCancelled { late.increment() }
        #expect(early.number == 1 && late.number == 1 && cancellation.isCancelled)
        withExtendedLifetime((first, second)) {}
    }

    @Test("A handler is forgotten with its registration, and others stay")
    func forgotten() {
        let (gone, kept) = (Count(), Count())
        let cancellation = Cancellation()
        var first: Cancellation.Registration? = cancellation.whenCancelled { gone.increment() }
        let second = cancellation.whenCancelled { kept.increment() }
        #expect(first != nil)
        first = nil
        cancellation.cancel()
        #expect(gone.number == 0 && kept.number == 1)
        withExtendedLifetime(second) {}
    }

    @Test("A registration releases what its handler uses once the cancellation is gone")
    func released() {
        weak var used: Count?
        let registration: Cancellation.Registration
        do {
            let count = Count()
            used = count
            let cancellation = Cancellation()
            registration = cancellation.whenCancelled { count.increment() }
            #expect(used != nil)
        }
        #expect(used == nil)
        withExtendedLifetime(registration) {}
    }

    @Test("The descriptor is readable once cancelled, whether it was made before or after")
    func descriptor() {
        let (before, after) = (Cancellation(), Cancellation())
        #expect(!isReadable(before.descriptor))
        before.cancel()
        after.cancel()
        #expect(isReadable(before.descriptor) && isReadable(after.descriptor))
    }

    @Test("A cancellation follows its parent, but not the other way round")
    func parents() {
        let parent = Cancellation()
        let (child, other) = (Cancellation(parent: parent), Cancellation(parent: parent))
        other.cancel()
        #expect(!parent.isCancelled && !child.isCancelled && other.isCancelled)
        parent.cancel()
        #expect(child.isCancelled && Cancellation(parent: parent).isCancelled)
    }

    @Test("A table forgets the handler of a number, and gives no number twice")
    func table() {
        let (first, second) = (Count(), Count())
        var table = HandlerTable()
        let number = table.add { first.increment() }
        table.remove(number)
        #expect(table.add { second.increment() } != number)
        for handler in table.all { handler() }
        #expect(first.number == 0 && second.number == 1)
        table.removeAll()
        #expect(table.all.isEmpty)
    }
}
