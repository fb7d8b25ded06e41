package dev.capsem.network.http;

/// What upstream connections are shared by: requests of one origin. A sandbox has one profile, so the profile needs no
/// place in it.
///
/// @param onlyHttp1 for exchanges that HTTP/2 cannot carry
record Origin(String scheme, String host, int port, boolean onlyHttp1) {
    boolean isTls() {
        return scheme.equals("https") || scheme.equals("wss");
    }
}
