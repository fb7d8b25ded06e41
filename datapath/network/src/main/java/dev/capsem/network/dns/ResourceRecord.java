package dev.capsem.network.dns;

import dev.capsem.exchange.dns.RecordType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/// One record, with no name in it compressed.
final class ResourceRecord {
    /// RFC 2181: a TTL has 31 bits; larger ones count as zero.
    private static final long TTL_SECONDS_MAX = Integer.MAX_VALUE;

    private static final int SOA_NUMBERS_BYTES = 20;

    private final DnsName owner;
    private final int type;
    private final long ttlSeconds;
    private final byte[] data;

    ResourceRecord(DnsName owner, int type, long ttlSeconds, byte[] data) {
        this.owner = owner;
        this.type = type;
        this.ttlSeconds = ttlSeconds > TTL_SECONDS_MAX ? 0 : ttlSeconds;
        this.data = data.clone();
    }

    static ResourceRecord address(DnsName owner, InetAddress address, long ttlSeconds) {
        byte[] bytes = address.getAddress();
        return new ResourceRecord(owner, bytes.length == 4 ? RecordType.A : RecordType.AAAA, ttlSeconds, bytes);
    }

    /// Empty for a record of another class than Internet.
    static Optional<ResourceRecord> read(WireReader in) {
        DnsName owner = DnsName.read(in);
        int type = in.u16();
        int recordClass = in.u16();
        long ttl = in.u32();
        int length = in.u16();
        int end = in.position() + length;
        if (type == RecordType.OPT || recordClass != RecordType.CLASS_IN) {
            in.skip(length);
            return Optional.empty();
        }
        byte[] data = data(in, type, length);
        if (in.position() != end) {
            throw new MalformedMessageException("a record is longer or shorter than it says");
        }
        return Optional.of(new ResourceRecord(owner, type, ttl, data));
    }

    private static byte[] data(WireReader in, int type, int length) {
        WireWriter out = new WireWriter(length);
        switch (type) {
            case RecordType.CNAME, RecordType.NS, RecordType.PTR, RecordType.DNAME ->
                DnsName.read(in).write(out);
            case RecordType.MX -> {
                out.u16(in.u16());
                DnsName.read(in).write(out);
            }
            case RecordType.SRV -> {
                out.bytes(in.bytes(6));
                DnsName.read(in).write(out);
            }
            case RecordType.SOA -> {
                DnsName.read(in).write(out);
                DnsName.read(in).write(out);
                out.bytes(in.bytes(SOA_NUMBERS_BYTES));
            }
            case RecordType.A -> out.bytes(exactly(in, length, 4));
            case RecordType.AAAA -> out.bytes(exactly(in, length, 16));
            default -> out.bytes(in.bytes(length));
        }
        return out.toBytes();
    }

    private static byte[] exactly(WireReader in, int length, int expected) {
        if (length != expected) {
            throw new MalformedMessageException("an address of the wrong length");
        }
        return in.bytes(length);
    }

    DnsName owner() {
        return owner;
    }

    int type() {
        return type;
    }

    long ttlSeconds() {
        return ttlSeconds;
    }

    byte[] data() {
        return data.clone();
    }

    ResourceRecord withTtl(long seconds) {
        return new ResourceRecord(owner, type, seconds, data);
    }

    /// The address of an A or AAAA record.
    Optional<InetAddress> address() {
        if (type != RecordType.A && type != RecordType.AAAA) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByAddress(data));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address record holds " + data.length + " bytes", e);
        }
    }

    /// The name that a CNAME stands for.
    Optional<DnsName> alias() {
        return type == RecordType.CNAME ? Optional.of(DnsName.read(new WireReader(data))) : Optional.empty();
    }

    /// How long, in seconds, the zone of this SOA record lets us remember that something is not there.
    long negativeTtlSeconds() {
        WireReader numbers = new WireReader(data).at(data.length - 4);
        return Math.min(ttlSeconds, numbers.u32());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ResourceRecord record
                && owner.equals(record.owner)
                && type == record.type
                && ttlSeconds == record.ttlSeconds
                && Arrays.equals(data, record.data);
    }

    @Override
    public int hashCode() {
        return 31 * owner.hashCode() + Arrays.hashCode(data);
    }

    @Override
    public String toString() {
        return owner + " " + ttlSeconds + " " + RecordType.mnemonic(type);
    }
}
