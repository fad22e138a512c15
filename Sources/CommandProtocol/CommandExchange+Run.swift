/// What carries out the actions of a command exchange.
package protocol CommandExchangeHost {
    /// A clock that does not go back; only differences count.
    var now: Duration { get }
    /// True once the user wants the exchange to stop.
    var isCancelled: Bool { get }
    /// Carries out one action, and returns early from a wait when `isCancelled` becomes true.
    ///
    /// Never called with `finish`.
    func perform(_ action: CommandExchange.Action) -> CommandExchange.Reply
}

extension CommandExchange {
    /// Runs the whole exchange on the calling thread.
    package mutating func run(on host: some CommandExchangeHost) -> CommandOutcome {
        if host.isCancelled { cancel() }
        var action = begin(at: host.now)
        while true {
            if case .finish(let outcome) = action { return outcome }
            let reply = host.perform(action)
            if host.isCancelled { cancel() }
            action = proceed(with: reply, at: host.now)
        }
    }
}
