package org.shardmend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kubernetes.client.openapi.models.V1CronJob;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.Programs;
import org.yaml.snakeyaml.Yaml;

/**
 * The Kubernetes templates against the API's schema, as Kubernetes' own Java client has it: unknown
 * fields, missing ones and wrong types are errors.
 */
class KubernetesTemplatesTest {
  private static final Path FOLDER = BuildFiles.projectFolder().resolve("jobs/kubernetes");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** One document of a file; a file may have several. */
  record Document(String file, JsonNode content) {
    @Override
    public String toString() {
      return file + ": " + kind();
    }

    String kind() {
      return content.get("kind").asText();
    }
  }

  static Stream<Document> documents() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml") && !name.equals("kustomization.yaml"))
          .sorted()
          .flatMap(name -> read(name).stream())
          .toList()
          .stream();
    }
  }

  private static List<Document> read(String file) {
    List<Document> documents = new ArrayList<>();
    try {
      for (Object document : new Yaml().loadAll(Files.readString(FOLDER.resolve(file)))) {
        documents.add(new Document(file, JSON.valueToTree(document)));
      }
      return documents;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void fitsTheSchemaOfTheApi(Document document) throws IOException {
    String json = JSON.writeValueAsString(document.content());
    Object parsed =
        switch (document.content().get("apiVersion").asText() + " " + document.kind()) {
          case "batch/v1 CronJob" -> V1CronJob.fromJson(json);
          case "v1 Pod" -> V1Pod.fromJson(json);
          case "v1 ServiceAccount" -> V1ServiceAccount.fromJson(json);
          case "rbac.authorization.k8s.io/v1 Role" -> V1Role.fromJson(json);
          case "rbac.authorization.k8s.io/v1 RoleBinding" -> V1RoleBinding.fromJson(json);
          default -> throw new AssertionError("No schema for " + document);
        };

    assertThat(parsed).isNotNull();
  }

  /** Else the test above could not fail. */
  @Test
  void aMistypedFieldDeepInsideDoesNotFitTheSchema() throws JsonProcessingException {
    JsonNode cronJob = only("cronjob.yaml");
    ((ObjectNode) podTemplate(cronJob).get("containers").get(0)).put("volumeMount", "settings");
    String json = JSON.writeValueAsString(cronJob);

    assertThatThrownBy(() -> V1CronJob.fromJson(json)).hasMessageContaining("volumeMount");
  }

  @Test
  void whatWouldOnlyComeAgainEndsTheJobAndAFailureIsTriedAgain() {
    JsonNode job = only("cronjob.yaml").at("/spec/jobTemplate/spec");
    JsonNode container = podTemplate(only("cronjob.yaml")).get("containers").get(0);

    JsonNode rule = job.at("/podFailurePolicy/rules/0");

    assertThat(rule.get("action").asText()).isEqualTo("FailJob");
    assertThat(rule.at("/onExitCodes/containerName")).isEqualTo(container.get("name"));
    assertThat(rule.at("/onExitCodes/operator").asText()).isEqualTo("In");
    assertThat(rule.at("/onExitCodes/values").toString()).isEqualTo("[2,3,4]");
    assertThat(job.get("backoffLimit").asInt()).isPositive();
    assertThat(podTemplate(only("cronjob.yaml")).get("restartPolicy").asText()).isEqualTo("Never");
    assertThat(only("driver-pod.yaml").at("/spec/restartPolicy").asText()).isEqualTo("Never");
  }

  @Test
  void oneSweepAtATime() {
    assertThat(only("cronjob.yaml").at("/spec/concurrencyPolicy").asText()).isEqualTo("Forbid");
  }

  @Test
  void accountsAreThoseThatTheTemplatesName() throws IOException {
    List<String> accounts =
        documents()
            .filter(document -> document.kind().equals("ServiceAccount"))
            .map(document -> document.content().at("/metadata/name").asText())
            .toList();

    assertThat(accounts)
        .contains(podTemplate(only("cronjob.yaml")).get("serviceAccountName").asText());
    assertThat(Files.readString(FOLDER.resolve("submit")))
        .contains("serviceAccountName=" + accounts.get(1));
  }

  @Test
  void theKustomizationNamesFilesThatAreThere() {
    JsonNode kustomization = only("kustomization.yaml");
    List<String> named = new ArrayList<>();
    kustomization.get("resources").forEach(file -> named.add(file.asText()));
    kustomization.at("/configMapGenerator/0/files").forEach(file -> named.add(file.asText()));

    assertThat(named)
        .contains("cronjob.yaml", "accounts.yaml", "core-site.xml")
        .allMatch(file -> Files.exists(FOLDER.resolve(file)));
    assertThat(kustomization.at("/configMapGenerator/0/name"))
        .isEqualTo(podTemplate(only("cronjob.yaml")).at("/volumes/0/configMap/name"));
  }

  @Test
  void kubectlMakesOneSetOfObjectsOfThem() throws Exception {
    assumeThat(Programs.isThere("kubectl")).as("kubectl is on this machine").isTrue();
    Process kubectl =
        new ProcessBuilder("kubectl", "kustomize", FOLDER.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Map<String, JsonNode> objects = new HashMap<>();
    for (Object object :
        new Yaml().loadAll(new String(kubectl.getInputStream().readAllBytes(), UTF_8))) {
      JsonNode content = JSON.valueToTree(object);
      objects.put(content.get("kind").asText(), content);
    }

    assertThat(kubectl.waitFor()).isZero();
    assertThat(objects)
        .containsOnlyKeys("ServiceAccount", "Role", "RoleBinding", "CronJob", "ConfigMap");
    assertThat(objects.values())
        .extracting(object -> object.at("/metadata/namespace").asText())
        .containsOnly("shardmend");
    assertThat(podTemplate(objects.get("CronJob")).at("/volumes/0/configMap/name"))
        .isEqualTo(objects.get("ConfigMap").at("/metadata/name"));
    assertThat(objects.get("ConfigMap").at("/data/core-site.xml").asText()).contains("fs.s3a");
  }

  private static JsonNode podTemplate(JsonNode cronJob) {
    return cronJob.at("/spec/jobTemplate/spec/template/spec");
  }

  private static JsonNode only(String file) {
    return read(file).get(0).content();
  }
}
