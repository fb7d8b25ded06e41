package dev.capsem.network.dns;

record Question(DnsName name, int type, int queryClass) {
    static Question read(WireReader in) {
        return new Question(DnsName.read(in), in.u16(), in.u16());
    }
}
