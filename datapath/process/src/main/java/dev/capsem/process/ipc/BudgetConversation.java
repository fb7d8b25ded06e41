package dev.capsem.process.ipc;

import dev.capsem.process.budget.BudgetDesk;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;

/// What is said about budgets over one connection, for as long as it is open.
final class BudgetConversation {
    private BudgetConversation() {}

    static void hold(IpcConnection<ServiceMessage, ProcessMessage> connection, BudgetDesk desk)
            throws InterruptedException {
        Thread telling = Thread.currentThread();
        try (BudgetDesk.Keeper keeper = desk.keep();
                TaskScope scope = new TaskScope("budgets", (thread, failure) -> telling.interrupt())) {
            scope.start(() -> {
                takeReplies(connection, desk);
                telling.interrupt();
            });
            keeper.serve(connection::send);
        }
    }

    /// Until the connection closes, or says what does not belong here.
    private static void takeReplies(IpcConnection<ServiceMessage, ProcessMessage> connection, BudgetDesk desk) {
        try {
            var reply = connection.receive(ServiceMessage.BudgetReply.class);
            while (reply.isPresent()) {
                desk.replied(reply.get());
                reply = connection.receive(ServiceMessage.BudgetReply.class);
            }
        } catch (IpcException e) {
            // Closed is closed.
        }
    }
}
