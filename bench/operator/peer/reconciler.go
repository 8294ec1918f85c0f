package main

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

const finalizer = "rolecall.dev/workspace"

// Reconciler makes the workspace match one Person: two writes to the API server for a new one, one for a change, one for a deletion.
type Reconciler struct {
	client    client.Client
	workspace *Workspace
}

func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	select {
	case <-r.workspace.listed:
	case <-ctx.Done():
		return ctrl.Result{}, ctx.Err()
	}
	var person Person
	if err := r.client.Get(ctx, request.NamespacedName, &person); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !person.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.remove(ctx, &person)
	}
	if !controllerutil.ContainsFinalizer(&person, finalizer) {
		before := person.DeepCopy()
		controllerutil.AddFinalizer(&person, finalizer)
		if err := r.client.Patch(ctx, &person, client.MergeFrom(before)); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	account, err := r.workspace.Converge(ctx, usernameOf(&person), person.Spec)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.tell(ctx, &person, account)
}

func (r *Reconciler) remove(ctx context.Context, person *Person) error {
	if !controllerutil.ContainsFinalizer(person, finalizer) {
		return nil
	}
	if err := r.workspace.Remove(ctx, usernameOf(person)); err != nil {
		return err
	}
	before := person.DeepCopy()
	controllerutil.RemoveFinalizer(person, finalizer)
	return client.IgnoreNotFound(r.client.Patch(ctx, person, client.MergeFrom(before)))
}

func (r *Reconciler) tell(ctx context.Context, person *Person, account Account) error {
	ready := meta.FindStatusCondition(person.Status.Conditions, "Ready")
	if ready != nil && ready.Status == metav1.ConditionTrue && person.Status.ObservedGeneration == person.Generation {
		return nil
	}
	before := person.DeepCopy()
	person.Status.ObservedGeneration = person.Generation
	person.Status.ID, person.Status.Username = account.ID, account.Username
	meta.SetStatusCondition(&person.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Converged",
		Message: "The workspace is as declared.", ObservedGeneration: person.Generation,
	})
	return client.IgnoreNotFound(r.client.Status().Patch(ctx, person, client.MergeFrom(before)))
}

func usernameOf(person *Person) string {
	if person.Spec.Username != "" {
		return person.Spec.Username
	}
	return person.Name
}

// DriftPass lists the workspace at the start and once a period, and reconciles each person who has drifted.
type DriftPass struct {
	cache     client.Reader
	workspace *Workspace
	period    time.Duration
	drifted   chan event.TypedGenericEvent[*Person]
}

func (d *DriftPass) Start(ctx context.Context) error {
	if err := d.workspace.List(ctx); err != nil {
		return err
	}
	ticker := time.NewTicker(d.period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := d.pass(ctx); err != nil {
			ctrl.Log.Error(err, "the drift pass failed")
		}
	}
}

func (d *DriftPass) pass(ctx context.Context) error {
	if err := d.workspace.List(ctx); err != nil {
		return err
	}
	var people PersonList
	if err := d.cache.List(ctx, &people, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	for i := range people.Items {
		person := &people.Items[i]
		account, found := d.workspace.find(usernameOf(person))
		if !found || account.Locked != person.Spec.Locked {
			d.drifted <- event.TypedGenericEvent[*Person]{Object: person.DeepCopy()}
		}
	}
	return nil
}
