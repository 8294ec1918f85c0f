// The peer of the benchmark: an operator for Person objects alone, as one writes it in Go with controller-runtime.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Job is what the benchmark gives every operator.
type Job struct {
	URL       string `json:"url"`
	CA        string `json:"ca"`
	Token     string `json:"token"`
	Namespace string `json:"namespace"`
	DriftMs   int64  `json:"driftMs"`
}

const workers = 10

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var job Job
	if err := json.Unmarshal(text, &job); err != nil {
		return err
	}
	counts := newCounts()
	connection := &rest.Config{
		Host: job.URL, BearerToken: job.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(job.CA)},
		// Without a limit of its own, as the API server has its own.
		QPS: -1, UserAgent: "rolecall-bench-peer", WrapTransport: counts.wrap,
	}
	manager, err := newManager(connection, job)
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	openParent(counts)
	workspace, err := findWorkspace(ctx, manager.GetAPIReader(), job.Namespace)
	if err != nil {
		return err
	}
	if err := addController(manager, workspace, time.Duration(job.DriftMs)*time.Millisecond); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func newManager(connection *rest.Config, job Job) (ctrl.Manager, error) {
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	lease, renew, retry := 15*time.Second, 10*time.Second, 2*time.Second
	return ctrl.NewManager(connection, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{job.Namespace: {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
		},
		LeaderElection: true, LeaderElectionID: "rolecall-operator", LeaderElectionNamespace: job.Namespace,
		LeaderElectionResourceLock: "leases", LeaderElectionReleaseOnCancel: true,
		LeaseDuration: &lease, RenewDeadline: &renew, RetryPeriod: &retry,
		Controller: config.Controller{EnableWarmup: ptr.To(true)},
	})
}

func addController(manager ctrl.Manager, workspace *Workspace, period time.Duration) error {
	drifted := make(chan event.TypedGenericEvent[*Person], workers)
	pass := &DriftPass{cache: manager.GetClient(), workspace: workspace, period: period, drifted: drifted}
	if err := manager.Add(pass); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(manager).
		Named("person").
		For(&Person{}).
		WithEventFilter(predicate.GenerationChangedPredicate{}).
		WatchesRawSource(source.Channel(drifted, &handler.TypedEnqueueRequestForObject[*Person]{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&Reconciler{client: manager.GetClient(), workspace: workspace})
}

// findWorkspace reads the only Workspace there is, and the key to it.
func findWorkspace(ctx context.Context, reader client.Reader, namespace string) (*Workspace, error) {
	var found unstructured.UnstructuredList
	found.SetGroupVersionKind(groupVersion.WithKind("WorkspaceList"))
	if err := reader.List(ctx, &found, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	if len(found.Items) != 1 {
		return nil, fmt.Errorf("%d Workspaces in %s, one is needed", len(found.Items), namespace)
	}
	url, _, err := unstructured.NestedString(found.Items[0].Object, "spec", "url")
	if err != nil {
		return nil, err
	}
	name, _, err := unstructured.NestedString(found.Items[0].Object, "spec", "credentialsFrom", "secretKeyRef", "name")
	if err != nil {
		return nil, err
	}
	var secret corev1.Secret
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &secret); err != nil {
		return nil, err
	}
	return newWorkspace(url, string(secret.Data["id"]), string(secret.Data["secret"])), nil
}
