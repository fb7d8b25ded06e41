import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/// java.net.http, with the trust that the environment gives it. Usage: java HttpClientProbe.java BASE
class HttpClientProbe {
    public static void main(String[] args) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> r = client.send(
                    HttpRequest.newBuilder(URI.create(args[0] + "/text")).build(), HttpResponse.BodyHandlers.ofString());
            System.out.println(r.statusCode() + " " + r.headers().firstValue("x-origin").orElse("") + " " + r.body().trim());
        }
    }
}
