package dev.capsem.exchange.dns;

import java.util.Map;

/// The types that mean something to us, and the names that rules know types by.
public final class RecordType {
    public static final int A = 1;
    public static final int NS = 2;
    public static final int CNAME = 5;
    public static final int SOA = 6;
    public static final int PTR = 12;
    public static final int MX = 15;
    public static final int AAAA = 28;
    public static final int SRV = 33;
    public static final int DNAME = 39;
    public static final int OPT = 41;
    public static final int SVCB = 64;
    public static final int HTTPS = 65;
    /// Transfers of whole zones, mailbox lists and "everything": no client of a sandbox needs them.
    private static final int TRANSFERS_FIRST = 251;
    private static final int TRANSFERS_LAST = 255;

    public static final int CLASS_IN = 1;

    private static final Map<Integer, String> MNEMONICS = Map.ofEntries(
            Map.entry(A, "A"),
            Map.entry(NS, "NS"),
            Map.entry(CNAME, "CNAME"),
            Map.entry(SOA, "SOA"),
            Map.entry(10, "NULL"),
            Map.entry(PTR, "PTR"),
            Map.entry(13, "HINFO"),
            Map.entry(MX, "MX"),
            Map.entry(16, "TXT"),
            Map.entry(AAAA, "AAAA"),
            Map.entry(29, "LOC"),
            Map.entry(SRV, "SRV"),
            Map.entry(35, "NAPTR"),
            Map.entry(DNAME, "DNAME"),
            Map.entry(OPT, "OPT"),
            Map.entry(43, "DS"),
            Map.entry(44, "SSHFP"),
            Map.entry(46, "RRSIG"),
            Map.entry(47, "NSEC"),
            Map.entry(48, "DNSKEY"),
            Map.entry(52, "TLSA"),
            Map.entry(SVCB, "SVCB"),
            Map.entry(HTTPS, "HTTPS"),
            Map.entry(99, "SPF"),
            Map.entry(251, "IXFR"),
            Map.entry(252, "AXFR"),
            Map.entry(255, "ANY"),
            Map.entry(256, "URI"),
            Map.entry(257, "CAA"));

    private RecordType() {}

    public static String mnemonic(int type) {
        return MNEMONICS.getOrDefault(type, "TYPE" + type);
    }

    public static boolean isTransfer(int type) {
        return type >= TRANSFERS_FIRST && type <= TRANSFERS_LAST;
    }
}
