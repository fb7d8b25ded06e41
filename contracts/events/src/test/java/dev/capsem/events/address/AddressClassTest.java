package dev.capsem.events.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each range with its first and last address and the neighbours on both sides: a range that is one bit too small
/// or too large opens or closes something.
class AddressClassTest {
    private static AddressClass of(String literal) {
        return AddressClass.of(InetAddress.ofLiteral(literal));
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0,       UNSPECIFIED",
        "0.255.255.255, UNSPECIFIED",
        "1.0.0.0,       PUBLIC",
        "9.255.255.255, PUBLIC",
        "10.0.0.0,      PRIVATE",
        "10.255.255.255, PRIVATE",
        "11.0.0.0,      PUBLIC",
        "99.100.100.200, PUBLIC",
        "100.63.255.255, PUBLIC",
        "100.64.0.0,    PRIVATE",
        "100.127.255.255, PRIVATE",
        "100.128.0.0,   PUBLIC",
        "101.64.0.0,    PUBLIC",
        "126.255.255.255, PUBLIC",
        "127.0.0.0,     LOOPBACK",
        "127.255.255.255, LOOPBACK",
        "128.0.0.0,     PUBLIC",
        "169.253.255.255, PUBLIC",
        "169.254.0.0,   LINK_LOCAL",
        "169.254.255.255, LINK_LOCAL",
        "169.255.0.0,   PUBLIC",
        "170.254.1.1,   PUBLIC",
        "172.15.255.255, PUBLIC",
        "172.16.0.0,    PRIVATE",
        "172.31.255.255, PRIVATE",
        "172.32.0.0,    PUBLIC",
        "173.16.0.0,    PUBLIC",
        "192.167.255.255, PUBLIC",
        "192.168.0.0,   PRIVATE",
        "192.168.255.255, PRIVATE",
        "192.169.0.0,   PUBLIC",
        "193.168.0.0,   PUBLIC",
    })
    void ipv4RangesOfTheHostAndItsNeighbours(String literal, AddressClass expected) {
        assertThat(of(literal)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "169.254.169.254, METADATA",
        "169.254.169.253, METADATA",
        "169.254.169.123, METADATA",
        "169.254.169.252, LINK_LOCAL",
        "169.254.168.254, LINK_LOCAL",
        "169.253.169.254, PUBLIC",
        "168.254.169.254, PUBLIC",
        "169.254.170.2,   METADATA",
        "169.254.170.3,   LINK_LOCAL",
        "169.254.171.2,   LINK_LOCAL",
        "169.253.170.2,   PUBLIC",
        "168.254.170.2,   PUBLIC",
        "100.100.100.200, METADATA",
        "100.100.100.201, PRIVATE",
        "100.100.101.200, PRIVATE",
        "100.101.100.200, PRIVATE",
        "101.100.100.200, PUBLIC",
        "168.63.129.16,   METADATA",
        "168.63.129.17,   PUBLIC",
        "168.63.128.16,   PUBLIC",
        "168.62.129.16,   PUBLIC",
        "167.63.129.16,   PUBLIC",
        "192.0.0.192,     METADATA",
        "192.0.0.191,     RESERVED",
        "192.0.1.192,     PUBLIC",
        "192.1.0.192,     PUBLIC",
        "191.0.0.192,     PUBLIC",
    })
    void whereCloudsHandOutCredentials(String literal, AddressClass expected) {
        assertThat(of(literal)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "223.255.255.255, PUBLIC",
        "224.0.0.0,       RESERVED",
        "255.255.255.255, RESERVED",
        "192.0.0.0,       RESERVED",
        "192.0.1.0,       PUBLIC",
        "192.0.2.255,     RESERVED",
        "192.0.3.0,       PUBLIC",
        "192.1.2.0,       PUBLIC",
        "191.0.2.0,       PUBLIC",
        "192.88.98.255,   PUBLIC",
        "192.88.99.0,     RESERVED",
        "192.88.100.0,    PUBLIC",
        "192.87.99.0,     PUBLIC",
        "191.88.99.0,     PUBLIC",
        "198.17.255.255,  PUBLIC",
        "198.18.0.0,      RESERVED",
        "198.19.255.255,  RESERVED",
        "198.20.0.0,      PUBLIC",
        "199.18.0.0,      PUBLIC",
        "198.51.99.255,   PUBLIC",
        "198.51.100.0,    RESERVED",
        "198.51.101.0,    PUBLIC",
        "198.50.100.0,    PUBLIC",
        "197.51.100.0,    PUBLIC",
        "203.0.112.255,   PUBLIC",
        "203.0.113.0,     RESERVED",
        "203.0.114.0,     PUBLIC",
        "203.1.113.0,     PUBLIC",
        "202.0.113.0,     PUBLIC",
    })
    void ipv4ThatNobodyUses(String literal, AddressClass expected) {
        assertThat(of(literal)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "::,                 UNSPECIFIED",
        "::1,                LOOPBACK",
        "::2,                RESERVED",
        "::ff,               RESERVED",
        "::100,              UNSPECIFIED",
        "::7f00:1,           LOOPBACK",
        "::808:808,          PUBLIC",
        "64:ff9b::a00:1,     PRIVATE",
        "64:ff9b::808:808,   PUBLIC",
        "64:ff9b:1:7f00:0:100:808:808, RESERVED",
        "64:ff9b:0:0:0:1:808:808, RESERVED",
        "64:ff9b:1::808:808, RESERVED",
        "64:ff9c::808:808,   RESERVED",
        "64:fe9b::808:808,   RESERVED",
        "65:ff9b::808:808,   RESERVED",
        "2002:a00:1::,       PRIVATE",
        "2002:a9fe:a9fe::,   METADATA",
        "2002:808:808::,     PUBLIC",
        "2003:a00:1::,       PUBLIC",
        "fd00:ec2::254,      METADATA",
        "fd00:ec2::255,      PRIVATE",
        "fd00:ec2::354,      PRIVATE",
        "fd00:ec3::254,      PRIVATE",
        "fd00:fc2::254,      PRIVATE",
        "fd01:ec2::254,      PRIVATE",
        "fd00:ec2:1::254,    PRIVATE",
        "fd00:ec2::1:254,    PRIVATE",
        "fe7f::1,            RESERVED",
        "fe80::1,            LINK_LOCAL",
        "febf::1,            LINK_LOCAL",
        "fec0::1,            PRIVATE",
        "feff::1,            PRIVATE",
        "ff02::1,            RESERVED",
        "fbff::1,            RESERVED",
        "fc00::1,            PRIVATE",
        "fdff::1,            PRIVATE",
        "fe00::1,            RESERVED",
        "1fff::1,            RESERVED",
        "2000::1,            PUBLIC",
        "3fff::1,            PUBLIC",
        "4000::1,            RESERVED",
        "2001:db8::1,        RESERVED",
        "2001:db7::1,        PUBLIC",
        "2001:cb8::1,        PUBLIC",
        "2001:eb8::1,        PUBLIC",
        "2001:db9::1,        PUBLIC",
        "2002:db8::1,        PUBLIC",
        "2003:db8::1,        PUBLIC",
        "2001::1,            RESERVED",
        "2001:1::1,          PUBLIC",
        "2001:100::1,        PUBLIC",
        "2003::1,            PUBLIC",
    })
    void ipv6AndTheIpv4InsideIt(String literal, AddressClass expected) {
        assertThat(of(literal)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, 10", "9, 10", "10, -1", "11, -1"})
    void onlyTheRightPrefixMakesAnIpv4Address(int at, byte other) throws UnknownHostException {
        byte[] mapped = InetAddress.ofLiteral("2000::").getAddress();
        mapped[0] = 0;
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 8;
        mapped[15] = 8;
        // The JDK would make an IPv4 address of a mapped one; a resolver need not.
        assertThat(AddressClass.of(java.net.Inet6Address.getByAddress("", mapped, 0)))
                .isEqualTo(AddressClass.PUBLIC);

        mapped[at] = at < 10 ? other : 0;

        assertThat(AddressClass.of(java.net.Inet6Address.getByAddress("", mapped, 0)))
                .isEqualTo(AddressClass.RESERVED);
    }

    @ParameterizedTest
    @CsvSource({"PUBLIC, public", "LINK_LOCAL, link_local"})
    void hasTheNameThatRulesUse(AddressClass type, String name) {
        assertThat(type.wireName()).isEqualTo(name);
    }
}
